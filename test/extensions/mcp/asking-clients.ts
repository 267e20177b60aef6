import {
  type ClientCapabilities,
  type ElicitResult,
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { afterTest } from '../../support/peer.ts';

/** The official client of both eras, with a person who answers. */

/** A question to the client: the params of `elicitation/create`. */
export type Asked = Readonly<Record<string, unknown>>;
export type Answered = ElicitResult;

interface Options {
  readonly headers?: Record<string, string>;
  /** The URL for a request, by its body. Default: the client's URL. */
  readonly route?: (body: string) => string | undefined;
  readonly elicitation?: ClientCapabilities['elicitation'];
}

export const eras = ['2026-07-28', '2025-11-25'] as const;
export type Era = (typeof eras)[number];

/** @param answer what the person answers; a promise while the person thinks */
export async function askedClient(
  era: Era,
  to: string | ConstructorParameters<typeof ModernStdio>[0],
  answer: (asked: Asked) => Answered | Promise<Answered>,
  { headers, elicitation = { form: {}, url: {} }, route }: Options = {},
) {
  const versionNegotiation = { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } as const;
  const client = new ModernClient(
    { name: 'test', version: '2' },
    { versionNegotiation, capabilities: { elicitation } },
  );
  const asked: Asked[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params);
    return answer(params);
  });
  const http = (url: string) =>
    new ModernHttp(new URL(url), {
      requestInit: { headers: headers ?? {} },
      fetch: (given, init) => fetch(route?.(String(init?.body)) ?? given, init),
    });
  await client.connect(typeof to === 'string' ? http(to) : new ModernStdio(to));
  afterTest(() => client.close());
  return {
    client,
    asked,
    async call(name: string, given: Record<string, unknown> = {}) {
      const result = await client.callTool({ name, arguments: given });
      const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
      return { result, text, structured: (result.structuredContent ?? {}) as Record<string, unknown> };
    },
  };
}
