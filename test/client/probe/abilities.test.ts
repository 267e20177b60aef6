import { expect, it } from 'vitest';
import { type BindingName, bindings } from '../../../src/client/bindings.ts';
import { allDialects } from '../../../src/client/dialects.ts';
import { operationReports } from '../../../src/client/probe/abilities.ts';
import { type AgentCapabilities, operations } from '../../../src/core/model/a2a.ts';
import type { DialectName } from '../../../src/dialects/kernel/dialect.ts';

const everything: AgentCapabilities = { streaming: true, pushNotifications: true, extendedAgentCard: true };
const every = operations.map(({ name }) => name);

function abilities(
  via: BindingName,
  as: DialectName,
  capabilities: AgentCapabilities | undefined = everything,
  refused: Parameters<typeof operationReports>[2] = new Map(),
) {
  const binding = bindings.find(({ name }) => name === via);
  const dialect = allDialects().find(({ name }) => name === as);
  if (binding === undefined || dialect === undefined) throw new TypeError(`no ${via} in ${as}`);
  const list = operationReports({ binding, dialect }, capabilities && { capabilities }, refused);
  expect(list.map(({ operation }) => operation)).toEqual(every);
  return {
    of: (name: string) => list.find(({ operation }) => operation === name),
    all: (how: string) => list.filter((one) => one.how === how).map(({ operation }) => operation as string),
  };
}

const ways = allDialects().flatMap((dialect) =>
  bindings.flatMap(({ name, wireFormat: face }) =>
    dialect[face] === undefined ? [] : [[name, dialect.name] as const],
  ),
);

it.each(bindings.map(({ name }) => name))('all operations of A2A 1.0 are native over %s', (via) => {
  expect(abilities(via, 'a2a-1.0').all('native')).toEqual(every);
});

it.each(ways)(
  'every operation without a native way is reported with a reason over %s in %s, whatever the card promises',
  (via, as) => {
    for (const capabilities of [everything, {}, undefined]) {
      const { of } = abilities(via, as, capabilities);
      for (const name of every) expect(of(name)?.why).toMatch(/\S/);
    }
  },
);

it('operations that the card does not promise are lifted', () => {
  const { of, all } = abilities('grpc', 'a2a-1.0', {});
  expect(all('impossible')).toEqual(['GetExtendedAgentCard']);
  expect(all('native')).toEqual(['SendMessage', 'GetTask', 'ListTasks', 'CancelTask']);
  expect(of('SendStreamingMessage')?.why).toBe(
    'SendMessage, then polling with GetTask (its card does not promise streaming)',
  );
  expect(of('GetExtendedAgentCard')?.why).toBe('its card does not promise an extended card');
});

it('operations that the dialect lacks are lifted', () => {
  const { of, all } = abilities('jsonrpc', 'agentvault-0.2');
  expect(all('native')).toEqual(['SendMessage', 'SendStreamingMessage', 'GetTask', 'CancelTask', 'SubscribeToTask']);
  expect(all('impossible')).toEqual(['GetExtendedAgentCard']);
  expect(of('ListTasks')?.why).toBe(
    'from the tasks that the gateway keeps (agentvault-0.2 has no such operation over JSON-RPC)',
  );
  expect(of('SendStreamingMessage')?.why).toBe('tasks/send, then tasks/sendSubscribe');
});

it('operations are impossible if even a message cannot be sent', () => {
  expect(abilities('rest', 'a2a-0.2').all('native')).toEqual(['GetExtendedAgentCard']);
  expect(abilities('rest', 'a2a-0.2').all('lifted')).toEqual([]);
});

it('abilities are those that the agent showed, whatever its card promises', () => {
  const refused = new Map([['ListTasks', 'no']] as const);
  const { of } = abilities('rest', 'a2a-1.0', everything, refused);
  expect(of('ListTasks')).toMatchObject({ how: 'lifted', why: expect.stringContaining('the agent refuses it: no') });
});

it('operations lose nothing in 1.0, and elsewhere what the codecs say', () => {
  for (const name of every) {
    // A field that only a preview version has is not a loss, and not supplied by the gateway.
    expect(abilities('jsonrpc', 'a2a-1.0').of(name)).toMatchObject({ supplied: [], lost: [] });
    expect(abilities('jsonrpc', 'a2a-1.1').of(name)).toMatchObject({ supplied: [], lost: [] });
  }
  const vault = abilities('jsonrpc', 'agentvault-0.2');
  expect(vault.of('GetTask')).toMatchObject({ supplied: ['historyLength'], lost: [] });
  expect(vault.of('SendMessage')?.lost).toContain('message.extensions');
  expect(vault.of('SendMessage')?.supplied).toContain('configuration.historyLength');
  expect(abilities('jsonrpc', 'a2a-0.3').of('SendMessage')?.lost).not.toContain('message.referenceTaskIds');
  expect(abilities('grpc', 'a2a-0.3').of('SendMessage')?.lost).toContain('message.referenceTaskIds');
});
