// Talks to tars with the official TypeScript SDK: over standard input and output, or over HTTP.
//
// Usage: node client.mjs stdio PROGRAM ARGUMENT...  |  node client.mjs http URL TOKEN
// Prints the result of each step as one line of JSON.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [kind, target, ...rest] = process.argv.slice(2);
const transport =
  kind === "stdio"
    ? new StdioClientTransport({ command: target, args: rest, env: process.env })
    : new StreamableHTTPClientTransport(new URL(target), {
        requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } },
      });
const client = new Client({ name: "typescript-sdk", version: "1.0.0" });
await client.connect(transport);

const text = (result) => result.content.map((block) => block.text).join("\n");
const steps = {};
steps.server = client.getServerVersion().name;
steps.tools = (await client.listTools()).tools.map((tool) => tool.name);
const found = await client.callTool({ name: "memory_search", arguments: { query: "boiler valve" } });
steps.path = /<source at="([^":]+):/.exec(text(found))[1];
steps.get = text(await client.callTool({ name: "memory_get", arguments: { name: "[[Boiler#Pressure]]" } }));
steps.private = (await client.callTool({ name: "memory_get", arguments: { name: "Diary.md" } })).isError;
steps.remembered = text(await client.callTool({ name: "memory_remember", arguments: { text: `The ${kind} door was oiled` } }));
steps.resources = (await client.listResources()).resources.map((resource) => resource.uri);
steps.read = (await client.readResource({ uri: "tars://note/Boiler.md" })).contents[0].text;
const template = { type: "ref/resource", uri: "tars://note/{+path}" };
steps.completed = (await client.complete({ ref: template, argument: { name: "path", value: "Boi" } })).completion.values;
steps.prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
steps.prompt = (await client.getPrompt({ name: "recall", arguments: { topic: "boiler" } })).messages[0].content.text;
console.log(JSON.stringify(steps));
await client.close();
