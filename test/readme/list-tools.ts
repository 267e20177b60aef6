import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** Starts a server of tools as an editor would, and prints the names of its tools. Arguments: the command. */

const [, , command = '', ...args] = process.argv;
const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
const client = new Client({ name: 'editor', version: '1' });
await client.connect(new StdioClientTransport({ command, args, env }));
for (const { name } of (await client.listTools()).tools) console.log(name);
await client.close();
