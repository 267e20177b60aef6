import { describe, expect, it } from 'vitest';
import { A2AError } from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { dialectBindings, taskOf } from '../../support/conversations.ts';
import { silent } from '../../support/core.ts';
import { alice, clientOf, configured, counted, generationsOf, start } from './support.ts';

/** The announced end of a generation: what its callers see of it, over every binding. */

const link = 'https://example.com/moving?to=1.0#how';
const past = '2020-03-01';

/** The headers of a sunset that answers had. A message may take several calls. */
function sunsetHeaders(lines: readonly string[]): string[] {
  const found = lines.flatMap(
    (line) => /(?:^|\s)((?:deprecation|sunset|link): .*)$/i.exec(line)?.[1]?.toLowerCase() ?? [],
  );
  return [...new Set(found)].sort();
}

const announced = (day: string, since = '2020-01-01T00:00:00Z'): string[] =>
  [
    `deprecation: @${Date.parse(since) / 1000}`,
    `link: <${link}>; rel="deprecation", <${link}>; rel="sunset"`,
    `sunset: ${new Date(day).toUTCString()}`,
  ].map((line) => line.toLowerCase());

const sunsetOf = (generation: string, mode: string, on: string): string =>
  `sunset: { ${generation}: { since: 2020-01-01, on: "${on}", mode: ${mode}, link: "${link}" } }`;

const bindings = dialectBindings.map((one) => [`${one.as} over ${one.via}`, one] as const);

describe.each(bindings)('%s', (name, binding) => {
  it(`answers to calls of ${name} have the headers of its sunset, and those of other generations have none`, async () => {
    const { url } = await start(sunsetOf(binding.as, 'warn', '2999-03-01'));
    const lines: string[] = [];
    const client = await clientOf(url, binding, { onWire: ({ text }) => lines.push(text) });
    lines.length = 0;
    await client.send('say good day');
    expect(sunsetHeaders(lines)).toEqual(announced('2999-03-01'));
    lines.length = 0;
    await expect(client.getTask({ id: 'unknown' })).rejects.toThrow();
    expect(sunsetHeaders(lines)).toEqual(announced('2999-03-01'));
    const other = dialectBindings.find(({ as, via }) => as !== binding.as && via === 'jsonrpc') ?? expect.fail('none');
    const others = await clientOf(url, other, { onWire: ({ text }) => lines.push(text) });
    lines.length = 0;
    await others.send('say good day');
    expect(sunsetHeaders(lines)).toEqual([]);
  });

  it(`new work in ${name} is refused after its sunset, and tasks that exist are read and canceled`, async () => {
    const { url, gateway } = await start(sunsetOf(binding.as, 'rehearse', past));
    const lines: string[] = [];
    const client = await clientOf(url, binding, { onWire: ({ text }) => lines.push(text) });
    const { id } = taskOf(await client.send('ask'));
    await gateway.reload(parseConfig(configured(sunsetOf(binding.as, 'refuse', past)), { file: '/gateway.yaml' }));
    lines.length = 0;
    const refused = await client.send('say good day').catch((thrown: unknown) => A2AError.from(thrown));
    expect((refused as A2AError).message).toContain(`no new work in ${binding.as}`);
    expect((refused as A2AError).message).toContain(link);
    expect(sunsetHeaders(lines)).toEqual(announced(past));
    const stopped = client.sendStream('say good day');
    await expect(stopped[Symbol.asyncIterator]().next()).rejects.toThrow(`no new work in ${binding.as}`);
    expect((await client.getTask({ id })).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect((await client.cancelTask({ id })).status.state).toBe('TASK_STATE_CANCELED');
    const { uses = [] } = await generationsOf(url, { generation: binding.as });
    expect(uses.map(counted)).toMatchObject([{ wouldBeRefused: 1, refused: 2, newWork: 3 }]);
  });
});

it('a refusal has the kind versionNotSupported, and names the generation, the day and the link in its details', async () => {
  const { url } = await start(sunsetOf('a2a-1.0', 'refuse', past));
  const answer = await fetch(`${url}/message:send`, {
    method: 'POST',
    headers: { 'a2a-version': '1.0', 'content-type': 'application/json', 'x-api-key': alice.key },
    body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'say good day' }] } }),
  });
  expect(answer.status).toBe(400);
  const { error } = (await answer.json()) as { error: { details: { reason: string; metadata: object }[] } };
  expect(error.details[0]).toMatchObject({
    reason: 'VERSION_NOT_SUPPORTED',
    metadata: { generation: 'a2a-1.0', sunset: '2020-03-01T00:00:00.000Z', link },
  });
});

it.each([
  ['warn', past, { wouldBeRefused: 0, refused: 0 }],
  ['rehearse', past, { wouldBeRefused: 1, refused: 0 }],
  ['rehearse', '2999-01-01', { wouldBeRefused: 1, refused: 0 }],
  ['refuse', '2999-01-01', { wouldBeRefused: 1, refused: 0 }],
] as const)('a sunset with mode %s on %s serves new work', async (mode, on, counts) => {
  const { url } = await start(sunsetOf('a2a-0.3', mode, on));
  const client = await clientOf(url, { as: 'a2a-0.3', via: 'jsonrpc' });
  await client.send('say good day');
  const { uses = [], generations = [] } = await generationsOf(url);
  expect(uses.map(counted)).toMatchObject([{ calls: 1, newWork: 1, ...counts }]);
  expect(generations).toMatchObject([{ generation: 'a2a-0.3', calls: 1, sunset: { mode } }]);
  expect(generations[0]?.sunset?.refuses ?? false).toBe(false);
});

it('a sunset without since is announced from the day of its configuration, and never later than its end', async () => {
  const { url } = await start(`sunset: { a2a-0.3: { on: "${past}" }, a2a-0.2: { on: "2999-01-01" } }`);
  const { generations = [] } = await generationsOf(url);
  const since = new Map(generations.map(({ generation, sunset }) => [generation, sunset?.since]));
  expect(since.get('a2a-0.3')).toBe(new Date(past).toISOString());
  const today = since.get('a2a-0.2') ?? '';
  expect(today).toMatch(/T00:00:00(?:\.000)?Z$/);
  expect(Date.now() - Date.parse(today)).toBeLessThan(2 * 86_400_000);
});

it.each([
  ['{ a2a-9: { on: 2027-03-01 } }', 'sunset.a2a-9: unknown generation; expected one of '],
  ['{ a2a-0.3: { on: 2027-02-30 } }', 'sunset.a2a-0.3.on: expected a day such as 2027-03-01'],
  ['{ a2a-0.3: { on: soon } }', 'sunset.a2a-0.3.on: expected a day such as 2027-03-01'],
  ['{ a2a-0.3: { mode: warn } }', 'sunset.a2a-0.3.on: expected a day such as 2027-03-01'],
  ['{ a2a-0.3: { since: 2027-03-02, on: 2027-03-01 } }', 'sunset.a2a-0.3.since: must not be later than on'],
  ['{ a2a-0.3: { on: 2027-03-01, link: "ftp://example.com" } }', 'sunset.a2a-0.3.link: expected an http or https URL'],
])('the configuration refuses the sunset %s', (sunset, message) => {
  const parse = () => parseConfig(configured(`sunset: ${sunset}`), { file: '/gateway.yaml' });
  expect(parse).toThrow(message);
});

it('a program configures a sunset as a file does', async () => {
  const gateway = createGateway(
    {
      store: 'memory:',
      listen: { port: 0 },
      agents: { demo: { kind: 'reference' } },
      sunset: { 'a2a-0.3': { on: past, mode: 'refuse' } },
    },
    { logger: silent },
  );
  const { url } = await gateway.listen();
  try {
    const client = await clientOf(url, { as: 'a2a-0.3', via: 'jsonrpc' });
    await expect(client.send('say good day')).rejects.toThrow('no new work in a2a-0.3');
  } finally {
    await gateway.close({ drainMs: 0 });
  }
});
