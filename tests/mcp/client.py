#!/usr/bin/env python3
"""Asks `mk mcp` with the protocol's own Python client: client.py MK."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

ADD = ["add", "insight", "--title", "parity of sums", "--description", "a bound"]


async def talk(mk, project, environment):
    server = StdioServerParameters(command=mk, args=["mcp"], cwd=project, env=environment)
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        hello = await session.initialize()
        tools = (await session.list_tools()).tools
        assert {"search", "premises", "note"} <= {tool.name for tool in tools}, tools
        found = await session.call_tool("search", {"words": "parity"})
        assert found.is_error is not True if hasattr(found, "is_error") else not found.isError, found
        text = json.loads(found.content[0].text)
        assert text["hits"][0]["title"] == "parity of sums", text
        wrong = await session.call_tool("search", {"limit": 0, "words": "x"})
        assert "0 is not in" in wrong.content[0].text, wrong
        [briefing] = (await session.list_resources()).resources
        read = await session.read_resource(briefing.uri)
        assert "math-forge" in read.contents[0].text, read
        prompt = await session.get_prompt("briefing")
        assert "math-forge" in prompt.messages[0].content.text, prompt
        print("mk mcp answers", len(tools), "tools;", hello)


def main():
    mk = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        project = os.path.join(folder, "project")
        os.mkdir(project)
        with open(os.path.join(project, "lakefile.toml"), "w", encoding="utf-8") as file:
            file.write('name = "sums"\n')
        environment = {"HOME": folder, "PATH": "/usr/bin:/bin"}
        subprocess.run([mk, *ADD], cwd=project, env=environment, check=True)
        asyncio.run(talk(mk, project, environment))


main()
