import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What a chat-completions request has that the answers here depend on. */
export interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content?: unknown;
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly { readonly function: { readonly name: string } }[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export interface ChatModel {
  /** What clients call the base URL: it ends in `/v1`. */
  readonly url: string;
  /** Every request, in order. */
  readonly requests: readonly ChatRequest[];
  /** Lets an answer go on whose text it has paused after the first piece. */
  resume(): void;
  close(): Promise<void>;
}

/** One answer of a model: text in pieces, or the call of a tool. */
type Turn = { readonly text: readonly string[] } | { readonly tool: string; readonly given: object };

/** The city that a text names, as `in Paris`, or by nothing but its name. */
const cityIn = (text: string): string | undefined => /\bin ([A-Z]\w+)/.exec(text)?.[1];

/** The text of a message, whose content is a text or a list of parts. */
const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part: { text?: string }) => part.text ?? '').join('')
      : '';

/** A model that asks for the city where the user names none, asks a tool for the weather, and then says it. */
function turnFor({ messages }: ChatRequest): Turn {
  const last = messages.at(-1);
  const text = textOf(last?.content);
  if (last?.role !== 'tool') {
    const city = cityIn(text);
    return city === undefined
      ? { tool: 'ask_user', given: { question: 'In which city?' } }
      : { tool: 'get_weather', given: { city } };
  }
  const called = messages.findLast(({ role }) => role === 'assistant')?.tool_calls?.[0]?.function.name;
  return called === 'ask_user' ? { tool: 'get_weather', given: { city: text } } : { text: ['It is ', text, '.'] };
}

/** The chunks of a streamed answer, in the form of the chat-completions API: arguments of a tool come in fragments. */
function chunksOf(model: string, turn: Turn): object[] {
  const facts = {
    id: `chatcmpl-${crypto.randomUUID()}`,
    object: 'chat.completion.chunk',
    created: 1_764_000_000,
    model,
  };
  const chunk = (delta: object, finish: string | null = null): object =>
    Object.assign({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] }, facts);
  if ('text' in turn)
    return [
      chunk({ role: 'assistant', content: '' }),
      ...turn.text.map((content) => chunk({ content })),
      chunk({}, 'stop'),
    ];
  const written = JSON.stringify(turn.given);
  const half = Math.floor(written.length / 2);
  const call = (part: object): object => chunk({ tool_calls: [Object.assign({ index: 0 }, part)] });
  const id = `call_${crypto.randomUUID()}`;
  return [
    chunk({ role: 'assistant', content: null }),
    call({ id, type: 'function', function: { name: turn.tool, arguments: '' } }),
    call({ function: { arguments: written.slice(0, half) } }),
    call({ function: { arguments: written.slice(half) } }),
    chunk({}, 'tool_calls'),
  ];
}

/**
 * Starts a server of the chat-completions API, as Ollama, vLLM and llama.cpp have it. It streams, and its only model calls the tools
 * `get_weather` and `ask_user`.
 *
 * @param pauses whether it waits after the first piece of a text until `resume` is called
 */
export async function startChatModel({ pauses = false } = {}): Promise<ChatModel> {
  const requests: ChatRequest[] = [];
  const resumed = Promise.withResolvers<void>();
  if (!pauses) resumed.resolve();
  const answer = async (request: ChatRequest, response: ServerResponse): Promise<void> => {
    if (request.stream !== true) {
      response.writeHead(400).end(JSON.stringify({ error: { message: 'this server answers with streams' } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chunksOf(request.model, turnFor(request))) {
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      if (JSON.stringify(chunk).includes('It is ')) await resumed.promise;
    }
    response.end('data: [DONE]\n\n');
  };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      response.writeHead(404).end();
      return;
    }
    const body = (await json(request)) as ChatRequest;
    requests.push(body);
    await answer(body, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    resume: () => resumed.resolve(),
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
