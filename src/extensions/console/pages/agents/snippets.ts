import { curl, grpcurl, type Headers, quoted, type Snippet, secret } from '../../wire/commands.ts';

interface SnippetFacts {
  /** URL of the gateway, without a slash at the end. */
  readonly gateway: string;
  readonly agent: string;
  /** Whether the agent also answers at the gateway's own URL. */
  readonly isDefault: boolean;
  /** The header for API keys; undefined if callers need none. */
  readonly apiKeyHeader: string | undefined;
  /** Whether callers can use bearer tokens. */
  readonly bearer: boolean;
}

const sdkNote = 'docs/guides/frameworks.md of the package says where the SDK takes credentials.';

/** Clients whose programs are blocks of the guide about frameworks, each with its first line. */
const clients = [
  {
    id: 'python',
    title: 'Python',
    install: "pip install 'a2a-sdk[http-server]'",
    opening: '```python\n# call.py\n',
    slash: '/',
    note: '',
  },
  {
    id: 'javascript',
    title: 'JavaScript',
    install: 'npm install @a2a-js/sdk',
    opening: '```ts\n// call.ts\n',
    slash: '/',
    note: 'The address needs its slash at the end.',
  },
  {
    id: 'go',
    title: 'Go',
    install: 'go get github.com/a2aproject/a2a-go/v2',
    opening: '```go\n// call/main.go\n',
    slash: '',
    note: '',
  },
  {
    id: 'java',
    title: 'Java',
    opening: '```java\n// src/main/java/Call.java\n',
    slash: '',
    install: 'io.github.a2asdk:a2a-java-sdk-client and io.github.a2asdk:a2a-java-sdk-client-transport-jsonrpc',
    note: 'This SDK speaks A2A 0.3.',
  },
];

/**
 * Returns the ways to reach an agent, the ones without a program first.
 *
 * @param guide text of docs/guides/frameworks.md
 */
export function snippetsFor(facts: SnippetFacts, guide: string): readonly Snippet[] {
  const { gateway, agent, isDefault, apiKeyHeader, bearer } = facts;
  const url = `${gateway}/${agent}`;
  const header = apiKeyHeader ?? (bearer ? 'Authorization' : undefined);
  const credential: Headers = header === undefined ? [] : [[header, secret]];
  const body = JSON.stringify({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'Ada' }] } });
  const headers: Headers = [['Content-Type', 'application/json'], ['A2A-Version', '1.0'], ...credential];
  const metadata: Headers = [...(isDefault ? [] : [['a2a-agent', agent] as const]), ...credential];
  const server = { url: `${url}/mcp`, ...(apiKeyHeader !== undefined && { headers: { [apiKeyHeader]: 'KEY' } }) };
  return [
    {
      id: 'command',
      title: 'a2a-gateway',
      code: `npx a2a-gateway send ${quoted(url)} 'Ada' --stream`,
      ...(header && { note: 'The command reads the API key from A2A_API_KEY, or a token from A2A_BEARER.' }),
    },
    { id: 'curl', title: 'curl', code: curl({ verb: 'POST', url: `${url}/message:send`, headers, body }) },
    {
      id: 'grpcurl',
      title: 'grpcurl',
      code: grpcurl(gateway, 'lf.a2a.v1.A2AService/SendMessage', metadata, body),
      note: 'The gateway supports reflection, so that grpcurl needs no protos.',
    },
    ...clients.map(({ id, title, install, note, opening, slash }) => ({
      id,
      title,
      install,
      code: (guide.split(opening)[1]?.split('\n```')[0] ?? '').replace(/http:\/\/localhost:8080\/?/, url + slash),
      note: [note, header && sdkNote].filter(Boolean).join(' '),
    })),
    {
      id: 'mcp',
      title: 'MCP',
      code: JSON.stringify({ mcpServers: { [agent]: server } }, undefined, 2),
      note: 'For editors and assistants: the skills of the agent are tools.',
    },
  ];
}
