import { expect, test } from 'vitest';
import type { Call, CallContext } from '../../../src/core/model/call.ts';
import { parentKey } from '../../../src/core/model/lineage.ts';
import { judgeOf, refuseStopped } from '../../../src/extensions/stops/judge.ts';
import type { ActiveStops, Stop } from '../../../src/extensions/stops/model.ts';
import { contextFor, directory } from '../../support/core.ts';

const stop: Stop = { kind: 'root', subject: 'r', reason: 'circles', stoppedBy: 'key:operator', stoppedAt: 0 };
const active: ActiveStops = { all: [stop], hasRoots: true, of: (_, root) => (root === 'r' ? stop : undefined) };

const send = (over: Partial<CallContext>): Promise<unknown> =>
  refuseStopped(judgeOf(active), directory({}))(async () => ({ value: {} }) as never)({
    operation: 'SendMessage',
    request: {},
    context: contextFor('demo', over),
  } as Call);

const openedBy = (facts: object): Partial<CallContext> => ({
  semantics: { taskMetadata: { [parentKey]: { agent: 'a', task: 'p', hops: 1, ...facts } } },
});

test('a call of an agent is refused where the tree of its task is stopped, and no other', async () => {
  const message = 'An operator has stopped the task r and all that it led to: circles';
  const refused = { kind: 'permissionDenied', message };
  await expect(send(openedBy({ root: 'r' }))).rejects.toMatchObject(refused);
  // The parent is the root.
  await expect(send(openedBy({ task: 'r' }))).rejects.toMatchObject(refused);
  await expect(send(openedBy({ root: 'other' }))).resolves.toEqual({ value: {} });
  await expect(send({})).resolves.toEqual({ value: {} });
});
