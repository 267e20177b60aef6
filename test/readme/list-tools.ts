import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** Starts a server of tools as an editor would, and prints the names of its tools. Arguments: the command. */

const [, , command = '', ...args] = process.argv;
const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
const client = new Client({ name: 'editor', version: '1' });
await client.connect(new StdioClientTransport({ command, args, env }) as Transport);
for (const { name } of (await client.listTools()).tools) console.log(name);
await client.close();
