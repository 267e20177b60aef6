/** How a client reaches an agent, as text to copy. */
export interface Snippet {
  readonly id: string;
  readonly title: string;
  /** What to install first. */
  readonly install?: string;
  readonly code: string;
  /** What else is to know, such as where credentials go. */
  readonly note?: string;
}

export interface SnippetFacts {
  /** URL of the gateway, without a slash at the end. */
  readonly gateway: string;
  readonly agent: string;
  /** Whether the agent also answers at the gateway's own URL. */
  readonly isDefault: boolean;
  /** The header for API keys; undefined where callers need none. */
  readonly apiKeyHeader: string | undefined;
  /** Whether callers can use bearer tokens. */
  readonly bearer: boolean;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const sdkNote = 'docs/guides/frameworks.md of the package says where the SDK takes credentials.';

/** Clients whose programs are blocks of the guide about frameworks, each after its opening. */
const clients = [
  {
    ...{ id: 'python', title: 'Python', install: "pip install 'a2a-sdk[http-server]'" },
    ...{ opening: '```python\n# call.py\n', slash: '/', note: '' },
  },
  {
    ...{ id: 'javascript', title: 'JavaScript', install: 'npm install @a2a-js/sdk' },
    ...{ opening: '```ts\n// call.ts\n', slash: '/', note: 'The address needs its slash at the end.' },
  },
  {
    ...{ id: 'go', title: 'Go', install: 'go get github.com/a2aproject/a2a-go/v2' },
    ...{ opening: '```go\n// call/main.go\n', slash: '', note: '' },
  },
  {
    ...{ id: 'java', title: 'Java', opening: '```java\n// src/main/java/Call.java\n', slash: '' },
    install: 'io.github.a2asdk:a2a-java-sdk-client and io.github.a2asdk:a2a-java-sdk-client-transport-jsonrpc',
    note: 'This SDK speaks A2A 0.3.',
  },
];

/**
 * The ways to reach an agent, the ones without a program first.
 *
 * @param guide text of docs/guides/frameworks.md
 */
export function snippetsFor(facts: SnippetFacts, guide: string): readonly Snippet[] {
  const { gateway, agent, isDefault, apiKeyHeader, bearer } = facts;
  const url = `${gateway}/${agent}`;
  const { host, protocol } = new URL(gateway);
  const header =
    apiKeyHeader !== undefined
      ? `${apiKeyHeader}: $A2A_API_KEY`
      : bearer
        ? 'Authorization: Bearer $A2A_BEARER'
        : undefined;
  const needsCredential = header !== undefined;
  const headerFlag = header === undefined ? '' : ` \\\n  -H "${header}"`;
  const message = `"messageId": "1", "role": "ROLE_USER", "parts": [{ "text": "Ada" }]`;
  const environment = 'The command reads the API key from A2A_API_KEY, or a token from A2A_BEARER.';
  return [
    {
      id: 'command',
      title: 'a2a-gateway',
      code: `npx a2a-gateway send ${url} 'Ada' --stream`,
      ...(needsCredential && { note: environment }),
    },
    {
      id: 'curl',
      title: 'curl',
      code: `curl ${quoted(`${url}/message:send`)} \\
  -H 'Content-Type: application/json' -H 'A2A-Version: 1.0'${headerFlag} \\
  -d '{ "message": { ${message} } }'`,
    },
    {
      id: 'grpcurl',
      title: 'grpcurl',
      code: `grpcurl${protocol === 'https:' ? '' : ' -plaintext'}${isDefault ? '' : ` \\\n  -H 'a2a-agent: ${agent}'`}${headerFlag} \\
  -d '{ "message": { ${message} } }' \\
  ${host} lf.a2a.v1.A2AService/SendMessage`,
      note: 'The gateway supports reflection, so that grpcurl needs no protos.',
    },
    ...clients.map(({ id, title, install, note, opening, slash }) => ({
      ...{ id, title, install },
      code: (guide.split(opening)[1]?.split('\n```')[0] ?? '').replace(/http:\/\/localhost:8080\/?/, url + slash),
      note: [note, needsCredential && sdkNote].filter(Boolean).join(' '),
    })),
    {
      id: 'mcp',
      title: 'MCP',
      code: JSON.stringify(
        {
          mcpServers: {
            [agent]: { url: `${url}/mcp`, ...(apiKeyHeader !== undefined && { headers: { [apiKeyHeader]: 'KEY' } }) },
          },
        },
        undefined,
        2,
      ),
      note: 'For editors and assistants: the skills of the agent are tools.',
    },
  ];
}
