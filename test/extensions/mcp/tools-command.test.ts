import { expect, it } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import { inProcess } from '../../support/in-process.ts';
import { closedPortUrl } from '../../support/peer.ts';

const gateway = await startGateway();

it('a2a-gateway tools lists the tools of all agents, and those of one', async () => {
  const all = await inProcess(['tools', gateway.origin]);
  expect(all).toMatchObject({ code: 0, stderr: '' });
  expect(all.stdout).toMatch(/^send_message +Sends a message/);
  expect(all.stdout).toMatch(/^demo__echo +\S/m);
  const one = await inProcess(['tools', `${gateway.origin}/demo/`, '--json']);
  expect(JSON.parse(one.stdout).map(({ name }: { name: string }) => name)).toContain('echo');
});

it('a2a-gateway tools calls a tool', async () => {
  const args = ['tools', `${gateway.origin}/demo`, 'echo', '--args'];
  const said = await inProcess([...args, '{"message":"say good day"}']);
  expect(said).toMatchObject({ code: 0, stdout: expect.stringMatching(/^good day\n/) });
  const file = await inProcess([...args, '{"message":"file"}']);
  expect(file.stdout).toMatch(/^\[image\/png; --json shows it\]/);
  const json = await inProcess([...args, '{"message":"data"}', '--json']);
  expect(JSON.parse(json.stdout).structuredContent).toMatchObject({ state: 'completed', data: [{ answer: 42 }] });
});

it.each([
  [['demo__echo', '--args', '{"message":"fail"}'], 1, /^error: Failed, as asked\./],
  [['nothing'], 1, /^error: Unknown tool: nothing$/m],
  [['send_message', '--args', '{"agent":"demo"}'], 1, /^error: Invalid arguments: message is required/],
  [['send_message', '--args', '[1]'], 2, /^error: --args: expected a JSON object/],
  [['--args', '{}'], 2, /^error: --args: needs the NAME of the tool/],
])('a2a-gateway tools %j exits with %i and says why', async (args, code, words) => {
  const outcome = await inProcess(['tools', gateway.origin, ...args]);
  expect(outcome.code).toBe(code);
  expect(outcome.stderr).toMatch(words);
  expect(outcome.stdout).toBe('');
});

it('a2a-gateway tools says what is wrong with the target', async () => {
  const nowhere = await inProcess(['tools', await closedPortUrl()]);
  expect(nowhere.code).toBe(1);
  expect(nowhere.stderr).toMatch(/connection refused; is the gateway running\?$/m);
  const unknown = await inProcess(['tools', `${gateway.origin}/nobody`]);
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toMatch(/No such agent: nobody$/m);
});
