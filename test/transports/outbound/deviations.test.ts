import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { OperationName, StreamResponse } from '../../../src/core/model/a2a.ts';
import { type CallContext, isStream, type UnaryReply } from '../../../src/core/model/call.ts';
import type { DialectName } from '../../../src/dialects/kernel/dialect.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import { createJsonRpcClient } from '../../../src/transports/jsonrpc/client.ts';
import type { ClientTransport, HttpTransportOptions } from '../../../src/transports/outbound/http-transport.ts';
import type { SkippedFrame } from '../../../src/transports/outbound/response-stream.ts';
import { createRestClient } from '../../../src/transports/rest/client.ts';
import { contextFor } from '../../support/core.ts';
import { afterTest, bodyOf, serve, serveTcp } from '../../support/peer.ts';

/** Answers as agents and proxies write them that keep to the meaning of their dialect, and not to its letter. */

const { byName } = createDialects();

interface Row {
  readonly name: string;
  readonly create: (options: HttpTransportOptions) => ClientTransport;
  wrap(value: unknown, id: unknown): unknown;
}

const rows: readonly Row[] = [
  { name: 'JSON-RPC', create: createJsonRpcClient, wrap: (result, id) => ({ jsonrpc: '2.0', id, result }) },
  { name: 'HTTP+JSON', create: createRestClient, wrap: (value) => value },
];

const task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } };
const artifact = {
  artifactUpdate: { taskId: 't1', contextId: 'c1', artifact: { artifactId: 'a', parts: [{ text: 'é' }] } },
};
const completed = { statusUpdate: { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } } };
const events = [{ task }, artifact, completed];

/** Writes an answer to the request with this id. */
type Writer = (res: ServerResponse, wrapped: (value: unknown) => string, id: unknown) => void;

const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] };

function open(
  { create }: Pick<Row, 'create'>,
  url: string,
  more: Partial<HttpTransportOptions> & { as?: DialectName } = {},
) {
  const { as = 'a2a-1.0', ...options } = more;
  const dialect = byName.get(as);
  if (!dialect) throw new Error(`no ${as}`);
  const client = create({ url, dialect, timeout: 5_000, ...options });
  afterTest(() => client.close());
  const context = (): CallContext => contextFor('demo', { requestId: 'r1' });
  const invoke = (operation: OperationName, request: object) =>
    client.invoke({ operation, request: request as never, context: context() });
  return {
    async value(operation: OperationName, request: object): Promise<unknown> {
      return ((await invoke(operation, request)) as UnaryReply).value;
    },
    async stream(operation: OperationName = 'SendStreamingMessage', request: object = { message }) {
      const reply = await invoke(operation, request);
      if (!isStream(reply)) throw new Error('not a stream');
      const seen: StreamResponse[] = [];
      for await (const { event } of reply.events) seen.push(event);
      return seen;
    },
  };
}

describe.each(rows)('a client over $name', (row) => {
  const { wrap } = row;
  const answering = (write: Writer): Promise<string> =>
    serve(async (req, res) => {
      const body = await bodyOf(req);
      const id = body === '' ? undefined : (JSON.parse(body) as { id?: unknown }).id;
      write(res, (value) => JSON.stringify(wrap(value, id)), id);
    });
  const streamOf = async (write: Writer, more: Partial<HttpTransportOptions> = {}) =>
    open(row, await answering(write), more).stream();

  describe('reads a stream', () => {
    it.each<[form: string, type: string, write: (texts: string[]) => string[]]>([
      ['a JSON list, as Google transcodes streams', 'application/json', (texts) => ['[', texts.join(',\r\n'), ']']],
      ['a JSON list in small pieces', 'application/json', (texts) => [...`[${texts.join(',')}]`]],
      ['a JSON list that is not closed', 'application/json', (texts) => ['[', texts.join(',')]],
      ['JSON on lines', 'application/x-ndjson', (texts) => texts.map((text) => `${text}\n`)],
      ['JSON on lines, of type application/json', 'application/json', (texts) => texts.map((text) => `${text}\n`)],
      ['a JSON text sequence', 'application/json-seq', (texts) => texts.map((text) => `\u001E${text}\n`)],
      ['JSON on lines, of the type of events', 'text/event-stream', (texts) => texts.map((text) => `${text}\n`)],
      [
        'events whose data are lists',
        'text/event-stream',
        (texts) => [`data: [${texts.slice(0, 2).join()}]\n\n`, `data: [${texts[2]}]\n\n`],
      ],
      ['events without the type of events', '', (texts) => texts.map((text) => `data: ${text}\n\n`)],
      ['events of type application/json', 'application/json', (texts) => texts.map((text) => `data: ${text}\n\n`)],
      ['events of type text/plain', 'text/plain', (texts) => texts.map((text) => `id: 1\ndata:${text}\r\n\r\n`)],
      [
        'events that end with CR',
        'text/event-stream',
        (texts) => texts.map((text) => `event: message\rdata:${text}\r\r`),
      ],
      [
        'events of several lines of data',
        'text/event-stream',
        (texts) => texts.map((text) => `${JSON.stringify(JSON.parse(text), null, 1).replace(/^/gm, 'data: ')}\n\n`),
      ],
      [
        'events with the field written twice',
        'text/event-stream',
        (texts) => texts.map((text) => `data: data: ${text}\ndata: \ndata: \n\n`),
      ],
      [
        'events with JSON in a JSON string',
        'text/event-stream',
        (texts) => texts.map((text) => `data: ${JSON.stringify(text)}\n\n`),
      ],
      [
        'events behind a byte order mark',
        'text/event-stream',
        (texts) => ['\uFEFF', ...texts.map((text) => `data: ${text}\n\n`)],
      ],
      [
        'events of which the last lacks its blank line',
        'text/event-stream',
        (texts) => [texts.map((text) => `data: ${text}`).join('\n\n')],
      ],
    ])(`a client over ${row.name} reads a stream of %s`, async (_, type, write) => {
      const seen = await streamOf((res, wrapped) => {
        if (type !== '') res.setHeader('content-type', type);
        for (const piece of write(events.map(wrapped))) res.write(piece);
        res.end();
      });
      expect(seen).toEqual(events);
    });

    it(`a client over ${row.name} reads a stream of a JSON list, each event as soon as it is complete`, async () => {
      let more = (): void => {};
      const url = await answering((res, wrapped) => {
        res.setHeader('content-type', 'application/json');
        res.write(`[${wrapped(events[0])}`);
        let at = 1;
        more = () => {
          res.write(`,${wrapped(events[at])}`);
          at += 1;
          if (at === events.length) res.end(']');
        };
      });
      const dialect = byName.get('a2a-1.0');
      if (!dialect) throw new Error('no dialect');
      const client = row.create({ url, dialect, timeout: 5_000 });
      afterTest(() => client.close());
      const request = { message: message as never };
      const reply = await client.invoke({ operation: 'SendStreamingMessage', request, context: contextFor('demo') });
      if (!isStream(reply)) throw new Error('not a stream');
      const seen: StreamResponse[] = [];
      for await (const { event } of reply.events) {
        seen.push(event);
        more();
      }
      expect(seen).toEqual(events);
    });

    it(`a client over ${row.name} reads a stream that is compressed, as events and as a list`, async () => {
      for (const type of ['text/event-stream', 'application/json']) {
        const seen = await streamOf((res, wrapped) => {
          const texts = events.map(wrapped);
          const text = type === 'application/json' ? `[${texts}]` : texts.map((one) => `data: ${one}\n\n`).join('');
          res.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(gzipSync(text));
        });
        expect(seen).toEqual(events);
      }
    });

    const noise = [
      'event: ping\ndata: {}\n\n',
      'event: ping\n\n',
      ': hello\n',
      'retry: 1000\n\n',
      'id: 5\n\n',
      'data\n\n',
      'data:\n\n',
      'data: keep-alive\n\n',
      'data: [DONE]\n\n',
      'data: {"type":"ping"}\n\n',
      'data: {"type":"heartbeat","message":"alive","status":"ok"}\n\n',
      'data: null\n\n',
      'data: "ping"\n\n',
      'data: 1\n\n',
      'data: {}\n\n',
      'data: []\n\n',
      'data: {"jsonrpc":"2.0","method":"ping"}\n\n',
      'data: {"jsonrpc":"2.0","id":null,"result":null}\n\n',
      'data: {"jsonrpc":"2.0","id":null,"result":{}}\n\n',
      'data: {"jsonrpc":"2.0","result":{"type":"heartbeat"}}\n\n',
      'data: {"unfinished": \n\n',
    ];

    it.each(noise)(
      `a client over ${row.name} reads a stream with %j before, between and after its events`,
      async (piece) => {
        const skipped: SkippedFrame[] = [];
        const seen = await streamOf(
          (res, wrapped) => {
            res.writeHead(200, { 'content-type': 'text/event-stream' }).write(piece);
            for (const event of events) res.write(`data: ${wrapped(event)}\n\n${piece}`);
            res.end();
          },
          { onSkipped: (frame) => skipped.push(frame) },
        );
        expect(seen).toEqual(events);
        const data = /data: (.+)\n/.exec(piece)?.[1];
        expect(skipped.length).toBe(data === undefined ? 0 : 4);
        if (data !== undefined) {
          expect(skipped[0]).toEqual({ event: piece.startsWith('event: ping') ? 'ping' : '', data: data.trim() });
        }
      },
    );

    it(`a client over ${row.name} reads a stream that has nothing but heartbeats, and says so at its end`, async () => {
      const write: Writer = (res) => {
        res.setHeader('content-type', 'text/event-stream');
        res.end('data: {"type":"ping"}\n\n: x\n\nevent: beat\ndata: now\n\n');
      };
      await expect(streamOf(write)).rejects.toMatchObject({
        kind: 'invalidAgentResponse',
        message: 'The stream ended without an answer; it had 2 events of another kind, the last of them "beat: now"',
      });
      // A stream without anything is only empty.
      const seen = await streamOf(
        (res) => void res.writeHead(200, { 'content-type': 'text/event-stream' }).end(': x\n'),
      );
      expect(seen).toEqual([]);
    });

    it(`a client over ${row.name} reads a stream whose task has ended although its connection breaks`, async () => {
      const frames = (wrapped: (value: unknown) => string, last: unknown) =>
        [...events.slice(0, 2), last].map((event) => `data: ${wrapped(event)}\n\n`).join('');
      const cut = (last: unknown): Promise<StreamResponse[]> =>
        streamOf((res, wrapped) => {
          res.setHeader('content-type', 'text/event-stream');
          res.write(frames(wrapped, last), () => res.destroy());
        });
      expect(await cut(completed)).toEqual(events);
      const waiting = { statusUpdate: { ...completed.statusUpdate, status: { state: 'TASK_STATE_WORKING' } } };
      await expect(cut(waiting)).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
    });

    it(`a client over ${row.name} reads a stream that breaks off, with all that came before`, async () => {
      const seen: StreamResponse[] = [];
      const url = await answering((res, wrapped) => {
        res.setHeader('content-type', 'text/event-stream');
        res.write(`data: ${wrapped(events[0])}\n\ndata: ${wrapped(events[1])}`, () => res.destroy());
      });
      const dialect = byName.get('a2a-1.0');
      const client = row.create({ url, dialect: dialect as never, timeout: 5_000 });
      afterTest(() => client.close());
      const request = { message: message as never };
      const reply = await client.invoke({ operation: 'SendStreamingMessage', request, context: contextFor('demo') });
      const reading = (async () => {
        if (isStream(reply)) for await (const { event } of reply.events) seen.push(event);
      })();
      await expect(reading).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
      expect(seen).toEqual(events.slice(0, 2));
    });

    it(`a client over ${row.name} reads a stream whose error is no error of the dialect`, async () => {
      for (const [data, said] of [
        ['Internal Server Error', 'Internal Server Error'],
        ['{"message":"out of memory"}', 'out of memory'],
      ]) {
        const write: Writer = (res, wrapped) => {
          res.setHeader('content-type', 'text/event-stream');
          res.end(`data: ${wrapped(events[0])}\n\nevent: error\ndata: ${data}\n\n`);
        };
        await expect(streamOf(write)).rejects.toThrow(said as string);
      }
    });
  });

  describe('reads one value', () => {
    const getTask = async (write: Writer): Promise<unknown> =>
      open(row, await answering(write)).value('GetTask', { id: 't1' });

    it.each<[form: string, type: string, write: (text: string) => string | Buffer]>([
      ['a list of one', 'application/json', (text) => `[${text}]`],
      ['a page', 'text/html; charset=UTF-8', (text) => text],
      ['bytes', 'application/octet-stream', (text) => `\n ${text}`],
      ['a page that is longer than its beginning', 'text/html', (text) => `${' '.repeat(9_000)}${text}`],
      ['an event', 'text/event-stream', (text) => `: hi\n\ndata: {"jsonrpc":"2.0","method":"x"\n\ndata: ${text}\n\n`],
      ['an event, of type application/json', 'application/json', (text) => `event: message\ndata: ${text}\n\n`],
      ['JSON behind a byte order mark', 'application/json', (text) => `\uFEFF${text}`],
      ['UTF-16', 'application/json; charset=utf-16', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
      ['UTF-16 without a mark', 'application/json', (text) => Buffer.from(text, 'utf16le')],
      ['Latin-1, as its type says', 'application/json; charset="ISO-8859-1"', (text) => Buffer.from(text, 'latin1')],
      ['UTF-8 although its type says otherwise', 'application/json; charset=iso-8859-1', (text) => text],
      ['JSON in a JSON string', 'application/json', (text) => JSON.stringify(text)],
    ])(`a client over ${row.name} reads one value of %s`, async (_, type, write) => {
      const named = { ...task, metadata: { name: 'é' } };
      const value = await getTask((res, wrapped) => {
        res.writeHead(200, { 'content-type': type }).end(write(wrapped(named)));
      });
      expect(value).toEqual(named);
    });

    it(`a client over ${row.name} reads one value with what cannot be decoded of it as U+FFFD`, async () => {
      const value = await getTask((res, wrapped) => {
        const text = wrapped({ ...task, metadata: { name: 'é' } });
        res.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from(text, 'latin1'));
      });
      expect(value).toEqual({ ...task, metadata: { name: '\uFFFD' } });
    });

    it(`a client over ${row.name} reads one value that is whole although its connection breaks, or its length is too large`, async () => {
      const broken: Writer = (res, wrapped) => void res.write(wrapped(task), () => res.destroy());
      expect(await getTask(broken)).toEqual(task);
      const long: Writer = (res, wrapped) => {
        res.setHeader('content-length', 1_000);
        res.write(wrapped(task), () => res.destroy());
      };
      expect(await getTask(long)).toEqual(task);
      const cut: Writer = (res, wrapped) => void res.write(wrapped(task).slice(0, -3), () => res.destroy());
      await expect(getTask(cut)).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
    });

    it.each<[what: string, status: number, type: string, body: string, message: RegExp]>([
      ['nothing', 200, 'application/json', '', /answered with HTTP 200 and an empty body instead of JSON$/],
      ['nothing but a promise', 202, '', '', /answered with HTTP 202 and an empty body instead of JSON$/],
      [
        'a page',
        200,
        'text/html',
        '<title>Sign in</title><h1>Who are you?</h1>',
        /with text\/html instead of JSON: Sign in Who are you\?$/,
      ],
      [
        'text',
        200,
        'text/plain',
        'upstream request timeout',
        /with text\/plain instead of JSON: upstream request timeout$/,
      ],
      ['broken JSON', 200, 'application/json', '{"a":', /Invalid JSON payload: \{"a":$/],
      [
        'a proxy’s page',
        502,
        'text/html',
        '<html><head><title>502 Bad Gateway</title></head><hr>nginx',
        /answered HTTP 502 with text\/html: 502 Bad Gateway nginx$/,
      ],
    ])(
      `a client over ${row.name} reads one value and names %s in place of one`,
      async (_, status, type, body, said) => {
        const write: Writer = (res) => {
          if (type !== '') res.setHeader('content-type', type);
          res.writeHead(status).end(body);
        };
        await expect(getTask(write)).rejects.toThrow(said);
        if (!body.startsWith('{')) await expect(streamOf(write)).rejects.toThrow(said);
      },
    );

    it(`a client over ${row.name} reads one value and names a status whose body has an unknown coding`, async () => {
      const write: Writer = (res) => {
        res.writeHead(503, { 'content-encoding': 'aes128gcm', 'content-type': 'application/json' }).end('{}');
      };
      await expect(getTask(write)).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });

  it(`a client over ${row.name} sends the query of its URL with every call, joined with that of the call`, async () => {
    const asked: string[] = [];
    const url = await serve(async (req, res) => {
      asked.push(String(req.url));
      const body = await bodyOf(req);
      const id = body === '' ? undefined : (JSON.parse(body) as { id?: unknown }).id;
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify(wrap(req.url?.includes('stream') ? { task } : task, id)));
    });
    const client = open(row, `${url}/g?alt=sse&key=a%2Fb&historyLength=9`);
    await client.value('GetTask', { id: 't1', historyLength: 2 });
    const paths = row.name === 'JSON-RPC' ? ['/g'] : ['/g/tasks/t1'];
    expect(asked.map((path) => path.split('?')[0])).toEqual(paths);
    const query = row.name === 'JSON-RPC' ? 'alt=sse&key=a%2Fb&historyLength=9' : 'historyLength=2&alt=sse&key=a%2Fb';
    expect(asked[0]?.split('?')[1]).toBe(query);
  });

  it(`a client over ${row.name} does not show the query of its URL in errors`, async () => {
    const url = await serve((_, res) => res.writeHead(500).end('your key was s3cret-key'));
    const failure = await open(row, `${url}/g?key=s3cret-key`)
      .value('GetTask', { id: 't1' })
      .catch((thrown: Error) => thrown.message);
    expect(failure).toMatch(/\?… answered HTTP 500: your key was \[secret\]$/);
  });
});

describe('a client over JSON-RPC', () => {
  const [row] = rows as [Row];
  const frames = (ids: readonly unknown[], id: unknown): string =>
    ids
      .map((given, at) => {
        const own = given === 'own' ? id : given === 'number' ? Number(id) : given;
        return `data: ${JSON.stringify({ jsonrpc: '2.0', ...(own !== undefined && { id: own }), result: events[at] })}\n\n`;
      })
      .join('');
  const streaming = (text: (id: unknown) => string): Promise<string> =>
    serve(async (req, res) => {
      const { id } = JSON.parse(await bodyOf(req)) as { id: unknown };
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end(text(id));
    });

  it.each([
    [['own', 'own', 'own']],
    [[null, null, null]],
    [[undefined, null, 'own']],
    [['number', 'number', 'number']],
  ])('a client over JSON-RPC reads a stream whose responses have the ids %j', async (ids) => {
    expect(await open(row, await streaming((id) => frames(ids, id))).stream()).toEqual(events);
  });

  it('a client over JSON-RPC passes over responses to other requests, errors too', async () => {
    const foreign = `data: {"jsonrpc":"2.0","id":"of another","error":{"code":-32603,"message":"no"}}\n\n`;
    const other = `data: {"jsonrpc":"2.0","id":"of another","result":${JSON.stringify(artifact)}}\n\n`;
    const url = await streaming((id) => foreign + other + frames(['own', 'own', 'own'], id) + foreign);
    expect(await open(row, url).stream()).toEqual(events);
  });

  it('a client over JSON-RPC ends a stream with an error that names no request', async () => {
    const url = await streaming(
      (id) => `${frames(['own'], id)}data: {"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"broke"}}\n\n`,
    );
    await expect(open(row, url).stream()).rejects.toMatchObject({ kind: 'internal', message: 'broke' });
  });

  it('a client over JSON-RPC reads events without their envelopes', async () => {
    const url = await streaming(() => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    expect(await open(row, url).stream()).toEqual(events);
  });

  it('a client over JSON-RPC reads the named events of AgentVault between others', async () => {
    const at = '2026-01-01T00:00:00.000Z';
    const named = [
      'event: ping\ndata: {"type":"ping"}\n\n',
      `event: task_status\ndata: {"taskId":"t1","state":"WORKING","timestamp":"${at}"}\n\n`,
      'data: {"heartbeat":1}\n\n',
      `event: task_status\ndata: {"taskId":"t1","state":"COMPLETED","timestamp":"${at}"}\n\n`,
    ];
    const url = await serve(async (req, res) => {
      const { id, method } = JSON.parse(await bodyOf(req)) as { id: unknown; method: string };
      const got = { id: 't1', state: 'WORKING', createdAt: at, updatedAt: at, messages: [], artifacts: [] };
      if (method === 'tasks/get') res.end(JSON.stringify({ jsonrpc: '2.0', id, result: got }));
      else res.writeHead(200, { 'content-type': 'text/event-stream' }).end(named.join(''));
    });
    const skipped: SkippedFrame[] = [];
    const client = open(row, url, { as: 'agentvault-0.2', onSkipped: (frame) => skipped.push(frame) });
    const seen = await client.stream('SubscribeToTask', { id: 't1' });
    expect(seen.map(({ task: whole, statusUpdate }) => (whole ?? statusUpdate)?.status.state)).toEqual([
      'TASK_STATE_WORKING',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ]);
    expect(skipped.map(({ event }) => event)).toEqual(['ping', '']);
  });
});

it('a client reads over an early answer whose body it never gets', async () => {
  const url = await serveTcp((socket) => socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n')));
  await expect(open(rows[1] as Row, url).value('GetTask', { id: 't1' })).rejects.toThrow('HTTP 204 and an empty body');
});
