import { request as startRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { A2AError, type Client } from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { type DialectBinding, dialectBindings, taskOf } from '../../support/conversations.ts';
import type { Opened } from '../../support/gateway.ts';
import { serve } from '../../support/peer.ts';
import { alice, bob, clientOf, configured, counted, generationsOf, start } from './support.ts';

/** A rehearsal counts exactly the calls that are refused when the same traffic arrives after the switch. */

const names = [...new Set(dialectBindings.map(({ as }) => as))];

/** All generations have the same end. */
const sunsets = (mode: 'rehearse' | 'refuse', on: string): string =>
  `sunset: { ${names.map((name) => `${name}: { on: "${on}", mode: ${mode}, link: "https://example.com/moving" }`).join(', ')} }`;

/** Counts since the switch, by caller, agent, generation and binding. */
async function countsOf({ url }: Opened, name: 'wouldBeRefused' | 'refused'): Promise<ReadonlyMap<string, number>> {
  const { uses = [] } = await generationsOf(url, { pageSize: 1_000 });
  return new Map(uses.map(counted).flatMap((use) => (use[name] > 0 ? [[use.who, use[name]] as const] : [])));
}

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A proxy that records the requests which pass it over HTTP/1.1. Resolves with its address. */
async function recordingProxy({ port }: Opened, recorded: Recorded[]): Promise<string> {
  return serve(async (req, res) => {
    const body = await text(req);
    const { host: _, connection: __, ...headers } = req.headers as Record<string, string>;
    const one = { method: req.method ?? 'GET', path: req.url ?? '/', headers, body };
    recorded.push(one);
    startRequest({ port, host: '127.0.0.1', method: one.method, path: one.path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    }).end(body);
  });
}

/** Sends a recorded request again. Whether its answer is the refusal of a sunset. */
function isRefused({ port }: Opened, { method, path, headers, body }: Recorded): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const sent = startRequest({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
    // Protobuf has texts as they are.
    text(answer).then((read) => resolve(read.includes('takes no new work')), reject);
  });
  sent.on('error', reject).end(body);
  return promise;
}

/** The calls of one client: new work, and readings of what came of it. Failures are of no interest here. */
async function converse(client: Client, known: { readonly tasks: string[] }): Promise<number> {
  let refused = 0;
  const attempt = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await call();
    } catch (thrown) {
      if (A2AError.from(thrown).message.includes('takes no new work')) refused += 1;
      return undefined;
    }
  };
  const [first] = known.tasks;
  const asked = await attempt(() => client.send('ask'));
  if (asked?.task) known.tasks.push(taskOf(asked).id);
  await attempt(() => client.send('say good day'));
  await attempt(async () => {
    for await (const _ of client.sendStream('stream 3 1'));
  });
  const taskId = first ?? known.tasks[0];
  if (taskId === undefined) return refused;
  await attempt(() => client.send('Ada', { taskId }));
  await attempt(() => client.getTask({ id: taskId }));
  await attempt(() => client.createTaskPushNotificationConfig({ taskId, url: 'https://hooks.example.com/' }));
  await attempt(() => client.listTaskPushNotificationConfigs({ taskId }));
  await attempt(() => client.cancelTask({ id: taskId }));
  return refused;
}

const overHttp1 = dialectBindings.filter(({ via }) => via !== 'grpc');
const overGrpc = dialectBindings.filter(({ via }) => via === 'grpc');

it('a rehearsal of recorded requests in all generations predicts which are refused after the switch, for each caller', async () => {
  const before = await start(sunsets('rehearse', '2999-01-01'));
  const recorded: Recorded[] = [];
  const proxy = await recordingProxy(before, recorded);
  for (const binding of overHttp1) {
    for (const { key: apiKey } of [alice, bob, bob])
      await converse(await clientOf(proxy, binding, { apiKey }), { tasks: [] });
  }
  const predicted = await countsOf(before, 'wouldBeRefused');
  expect(predicted.size).toBe(2 * overHttp1.length);
  expect(await countsOf(before, 'refused')).toEqual(new Map());

  const after = await start(sunsets('refuse', '2020-01-01'));
  let refused = 0;
  for (const one of recorded) if (await isRefused(after, one)) refused += 1;
  expect(await countsOf(after, 'refused')).toEqual(predicted);
  expect(await countsOf(after, 'wouldBeRefused')).toEqual(new Map());
  expect(refused).toBe(predicted.values().reduce((sum, count) => sum + count, 0));
});

it('a rehearsal of calls over gRPC predicts what the same clients are refused after the switch', async () => {
  const gateway = await start(sunsets('rehearse', '2020-01-01'));
  const hold = async (binding: DialectBinding, tasks: string[]) =>
    converse(await clientOf(gateway.url, binding), { tasks });
  const tasks = overGrpc.map((): string[] => []);
  for (const [at, binding] of overGrpc.entries()) expect(await hold(binding, tasks[at] ?? [])).toBe(0);
  const predicted = await countsOf(gateway, 'wouldBeRefused');
  expect(predicted.size).toBe(overGrpc.length);

  const config = parseConfig(configured(sunsets('refuse', '2020-01-01')), { file: '/gateway.yaml' });
  await gateway.gateway.reload(config);
  const seen = new Map<string, number>();
  for (const [at, binding] of overGrpc.entries())
    seen.set(`key:alice demo ${binding.as} grpc`, await hold(binding, tasks[at] ?? []));
  expect(seen).toEqual(predicted);
  expect(await countsOf(gateway, 'refused')).toEqual(predicted);
});
