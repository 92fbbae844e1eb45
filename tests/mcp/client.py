"""Talks to tars with the official Python SDK, over standard input and output.

Usage: client.py PROGRAM ARGUMENT...
Prints the result of each step as one line of JSON.
"""

import asyncio
import json
import os
import re
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def text(result):
    return "\n".join(block.text for block in result.content)


def field(value, *names):
    """Returns a field by the first of its names that exists: releases of the SDK spell it differently."""
    return next(getattr(value, name) for name in names if hasattr(value, name))


async def talk():
    steps = {}
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        steps["tools"] = [tool.name for tool in (await session.list_tools()).tools]
        found = await session.call_tool("memory_search", {"query": "boiler valve"})
        steps["path"] = re.search(r'<source at="([^":]+):', text(found)).group(1)
        steps["get"] = text(await session.call_tool("memory_get", {"name": "[[Boiler#Pressure]]"}))
        private = await session.call_tool("memory_get", {"name": "Diary.md"})
        steps["private"] = field(private, "is_error", "isError")
        steps["remembered"] = text(await session.call_tool("memory_remember", {"text": "The python door was oiled"}))
        steps["prompts"] = [prompt.name for prompt in (await session.list_prompts()).prompts]
    print(json.dumps(steps))


asyncio.run(talk())
