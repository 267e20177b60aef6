import { decodeSse } from './sse.ts';

/** An AgentVault client as the real one behaves on the wire: request ids with its prefixes, a slash at the URL's end. */

export interface VaultAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
  readonly json: any;
}

export interface VaultFrame {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
  readonly data: any;
}

export interface VaultClient {
  /** Posts a body as it is. */
  post(body: unknown, headers?: Record<string, string>): Promise<VaultAnswer>;
  call(method: string, params: unknown, headers?: Record<string, string>): Promise<VaultAnswer>;
  /** Sends text, or the message that is given, and resolves with the task's id. */
  send(content: string | object, more?: object): Promise<string>;
  get(id: string): Promise<VaultAnswer['json']>;
  /** The frames of a subscription, as they come. */
  subscribe(id: string, lastEventId?: string, signal?: AbortSignal): AsyncGenerator<VaultFrame>;
  /** All frames up to the end. */
  follow(id: string, lastEventId?: string): Promise<VaultFrame[]>;
}

const prefixes: Readonly<Record<string, string>> = {
  'tasks/send': 'req-send-',
  'tasks/get': 'req-get-',
  'tasks/cancel': 'req-cancel-',
  'tasks/sendSubscribe': 'req-sub-',
};

export const userMessage = (content: string): object => ({ role: 'user', parts: [{ type: 'text', content }] });

/** @param url of the agent's endpoint */
export function vaultClient(url: string): VaultClient {
  let count = 0;
  const fetched = (body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  const requestFor = (method: string, params: unknown) => {
    count += 1;
    return { jsonrpc: '2.0', id: `${prefixes[method] ?? 'req-'}${count}`, method, params };
  };
  const client: VaultClient = {
    async post(body, headers) {
      const response = await fetched(body, headers);
      const text = await response.text();
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        json = undefined;
      }
      return { status: response.status, headers: response.headers, text, json };
    },
    call: (method, params, headers) => client.post(requestFor(method, params), headers),
    async send(content, more = {}) {
      const message = typeof content === 'string' ? userMessage(content) : content;
      const { json, text } = await client.call('tasks/send', { message, ...more });
      if (typeof json?.result?.id !== 'string') throw new Error(text);
      return json.result.id;
    },
    async get(id) {
      const { json, text } = await client.call('tasks/get', { id });
      if (!json?.result) throw new Error(text);
      return json.result;
    },
    async *subscribe(id, lastEventId, signal) {
      const resumed: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const headers = { accept: 'text/event-stream', ...resumed };
      const response = await fetched(requestFor('tasks/sendSubscribe', { id }), headers, signal);
      if (response.status !== 200 || !response.body) throw new Error(`${response.status} ${await response.text()}`);
      for await (const frame of decodeSse(response.body)) {
        yield { id: frame.id, event: frame.event, data: JSON.parse(frame.data) };
      }
    },
    async follow(id, lastEventId) {
      const frames: VaultFrame[] = [];
      for await (const frame of client.subscribe(id, lastEventId)) frames.push(frame);
      return frames;
    },
  };
  return client;
}
