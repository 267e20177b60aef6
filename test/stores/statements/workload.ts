import { newId } from '../../../src/core/model/ids.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { completed, TaskWriter } from '../../contract/store-fixtures.ts';

/**
 * Everything that a gateway does with its store, once, for owners of its own; what it knows it tells afterwards, since
 * its statements name numbers that the database has given.
 */
export async function work(store: Store): Promise<void> {
  const owner = { agent: newId(), tenant: newId(), principal: newId() };
  const done = await completed(store, { owner });
  const writer = new TaskWriter({ owner });
  const there = { id: newId(), contextId: newId() };
  await store.append(writer.create('TASK_STATE_WORKING'));
  await store.append({ ...writer.chunk('one'), upstream: there });
  const { key, id } = writer;
  const config = { id: newId(), taskId: id, url: 'https://hooks.example.com/a' };
  await store.putPushConfig(key, config, 'a2a-1.0', { after: 0, hops: 1 });
  await store.peers.follow([key]);
  await store.append(writer.chunk('two'));
  await store.peers.unfollow([key]);
  const [delivery] = await store.claimDeliveries({ of: [key], limit: 5, except: [] });
  if (delivery) await store.reportDelivery(delivery, { cursor: 2, attempts: 1, delay: 60_000, failure: 'no answer' });
  await store.getPushConfig(key, config.id);
  await store.listPushConfigs(key, { size: 5, token: '' });
  await store.listOwnersPushConfigs(owner, { size: 5, token: '' });
  await store.append(writer.status('TASK_STATE_INPUT_REQUIRED'));
  await store.append(writer.message('go on'));
  await store.append(writer.status('TASK_STATE_WORKING'));
  await store.append(writer.status('TASK_STATE_COMPLETED'));
  await store.deletePushConfig(key, config.id);
  await store.find(owner, id);
  await store.load(done.key);
  await store.lastUse(owner, id);
  await store.setDialect(key, 'a2a-0.3');
  await store.events(key, 0, 100);
  await store.latestTurn(key);
  await store.list(owner, { pageSize: 1 });
  await store.list(owner, { pageSize: 5, contextId: writer.contextId, status: 'TASK_STATE_COMPLETED' });
  const call = { owner, key: newId(), digest: 'digest', nonce: newId() };
  await store.claimCall(call);
  await store.answerCall(call, '{}');
  await store.claimCall({ ...call, nonce: newId() });
  await store.releaseCall({ ...call, key: newId() });
  const opened = { ...call, key: newId() };
  const opening = new TaskWriter({ owner });
  await store.append({ ...opening.create(), keys: [{ call: opened, seq: 0 }] });
  await store.findCall(owner, opened.key);
  await store.retract(opening.key, opened, '{}');
  await store.append({ key: done.key, events: [], upstream: { id: newId(), contextId: newId() } });
  await store.upstreamOf(key);
  await store.bindUpstreamContext(owner, newId(), newId());
  await store.upstreamContextOf(owner, writer.contextId);
  await store.upstreamTasksOf(owner, [id, done.id]);
  await store.ownTasksOf(owner, [there.id]);
  await store.setAgentMode(owner.agent, 'draining', owner.principal);
  await store.setAgentMode(owner.agent, 'enabled', owner.principal);
  const space = { owner, kind: 'task', id: key } as const;
  await store.writeState(space, 'name', '1', 1_000);
  await store.readState(space, 'name');
  await store.writeState(space, 'name', undefined, 1_000);
}
