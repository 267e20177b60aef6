import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { type Plugin, rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Opened } from '../support/gateway.ts';
import { open } from './served.ts';

const root = new URL('../../', import.meta.url);

/** What a page would do. */
const page = `
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { A2AService, a2a, errorOf, Role } from 'a2a-gateway/connect';

globalThis.call = async (baseUrl) => {
  const client = createClient(A2AService, createConnectTransport({ baseUrl, interceptors: [a2a()] }));
  const message = { messageId: 'm', role: Role.USER, parts: [{ content: { case: 'text', value: 'chunks 3' } }] };
  const events = [];
  for await (const { payload } of client.sendStreamingMessage({ message })) events.push(payload.case);
  const error = await client.getTask({ id: 'none' }).catch(errorOf);
  return JSON.stringify({ events, kind: error.kind, metadata: error.metadata });
};
`;

const isPage = '\0page';
const sources: Plugin = {
  name: 'page',
  resolveId: (id) =>
    id === 'page'
      ? isPage
      : id === 'a2a-gateway/connect'
        ? fileURLToPath(new URL('src/rpc-clients/connect.ts', root))
        : null,
  load: (id) => (id === isPage ? page : null),
};

let gateway: Opened;
beforeAll(async () => {
  gateway = await open();
});
afterAll(() => gateway.close());

it('runs with what browsers have, and nothing of Node', async () => {
  const build = await rolldown({ input: 'page', cwd: fileURLToPath(root), platform: 'browser', plugins: [sources] });
  const { output } = await build.generate({ format: 'iife' });
  await build.close();
  expect(output.length).toBe(1);
  const [{ code }] = output;
  expect(code).not.toMatch(/\brequire\(|["']node:/);
  // As large as protobuf, Connect and the descriptors; nothing of the gateway comes along.
  expect(code.length).toBeLessThan(600_000);

  const {
    AbortController,
    AbortSignal,
    DOMException,
    fetch,
    Headers,
    Request,
    Response,
    TextDecoder,
    TextEncoder,
    URL,
  } = globalThis;
  const inBrowsers = {
    AbortController,
    AbortSignal,
    DOMException,
    Headers,
    Request,
    Response,
    TextDecoder,
    TextEncoder,
    URL,
  };
  const { atob, btoa, clearTimeout, ReadableStream, setTimeout } = globalThis;
  const context = createContext({ ...inBrowsers, atob, btoa, clearTimeout, fetch, ReadableStream, setTimeout });
  runInContext(code, context);
  const answer = JSON.parse(await runInContext(`call(${JSON.stringify(gateway.url)})`, context));
  expect(answer.events[0]).toBe('task');
  expect(answer.events.at(-1)).toBe('statusUpdate');
  expect(answer).toMatchObject({ kind: 'taskNotFound', metadata: { taskId: 'none' } });
});
