import { expect, it } from 'vitest';
import { checkIdle, gaugesOf, type Held } from './check-idle.ts';

const idle: Held = { timers: 10, peers: [], gauges: { tasks_live: 0, streams_open: 0 } };

const check = (held: Partial<Held>, agents: readonly string[] = ['10.0.2.1']): string[] =>
  checkIdle(new Map([['gateway-0', { ...idle, ...held }]]), idle, agents).map(({ what }) => what);

it('an idle replica may keep a connection and two timers for each agent', () => {
  expect(check({ timers: 12, peers: ['10.0.2.1'] })).toEqual([]);
});

it('an idle replica may keep a connection for each of two agents at one address', () => {
  const agents = ['10.0.2.1', '10.0.2.1'];
  expect(check({ peers: ['10.0.2.1', '10.0.2.1'] }, agents)).toEqual([]);
  expect(check({ peers: ['10.0.2.1', '10.0.2.1', '10.0.2.1'] }, agents)).toHaveLength(1);
});

it('an idle replica that keeps a task in memory, a stream, a timer or a connection is a violation', () => {
  expect(check({ gauges: { tasks_live: 2, streams_open: 1 } })).toEqual([
    'gateway-0 is idle, and tasks_live is 2',
    'gateway-0 is idle, and streams_open is 1',
  ]);
  expect(check({ timers: 13 })).toEqual([
    'gateway-0 is idle, and it has 13 timers, and one that has just been started 10',
  ]);
  const left = 'gateway-0 is idle, and it has connections that nobody needs: ';
  expect(check({ peers: ['10.0.2.1', '10.0.2.1'] })).toEqual([`${left}10.0.2.1`]);
  expect(check({ peers: ['10.0.1.1'] })).toEqual([`${left}10.0.1.1`]);
});

it('a gauge is summed over its labels', () => {
  const page =
    'a2a_gateway_streams_open{binding="rest"} 2\na2a_gateway_streams_open{binding="grpc"} 1\na2a_gateway_tasks_live 4\n';
  expect(gaugesOf(page)).toEqual({ requests_in_flight: 0, streams_open: 3, tasks_live: 4, push_held: 0 });
});
