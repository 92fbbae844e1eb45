"""A server of tools that says what a file tells it to. Run as a program: hostile_server.py FOLDER, which holds `script.json`.

`pages`: the answers to `tools/list`, by cursor; `results`: the answers to `tools/call`, by the name of the tool, else by `*`; `initialize`:
the answer to `initialize`. Notes each call in `calls.jsonl`.
"""

import json
import os
import sys
import time


def main(folder):
    with open(os.path.join(folder, "script.json"), encoding="utf-8") as file:
        script = json.load(file)
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        message = json.loads(line)
        method, id_ = message.get("method"), message.get("id")
        if id_ is None:
            continue
        if method == "initialize":
            result = script.get("initialize") or {
                "protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "hostile", "version": "1"},
            }
        elif method == "tools/list":
            cursor = str((message.get("params") or {}).get("cursor") or "")
            result = script["pages"].get(cursor) or script["pages"].get("*") or {"tools": []}
        elif method == "tools/call":
            with open(os.path.join(folder, "calls.jsonl"), "a", encoding="utf-8") as file:
                file.write(json.dumps(message["params"]) + "\n")
            results = script.get("results", {})
            result = results.get(message["params"]["name"], results.get("*", {"content": [{"type": "text", "text": "fine"}]}))
        else:
            out.write(json.dumps({"jsonrpc": "2.0", "id": id_, "error": {"code": -32601, "message": "no"}}).encode() + b"\n")
            out.flush()
            continue
        if isinstance(result, str):
            # Raw bytes instead of a message.
            if result == "END":
                return
            if result == "SILENCE":
                time.sleep(600)
            out.write(result.replace("ID", json.dumps(id_)).encode("utf-8", errors="surrogateescape") + b"\n")
        else:
            out.write(json.dumps({"jsonrpc": "2.0", "id": id_, "result": result}).encode() + b"\n")
        out.flush()


if __name__ == "__main__":
    main(sys.argv[1])
