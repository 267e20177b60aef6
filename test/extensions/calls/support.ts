import type { CallRecord } from '../../../src/core/telemetry/call-log.ts';
import type { KeptCall } from '../../../src/extensions/calls/model.ts';
import type { Instance } from '../../../src/extensions/calls/store/store.ts';

/** Records of calls, as the log of calls makes them. */

let count = 0;

/** A failed call of now. */
export const failedCall = (more: { readonly [K in keyof CallRecord]?: CallRecord[K] | undefined } = {}): CallRecord => {
  count += 1;
  const record = {
    seq: count,
    at: Date.now(),
    ms: 3,
    principal: 'key:alice',
    address: '127.0.0.1',
    agent: 'demo',
    tenant: '',
    operation: 'SendMessage',
    dialect: 'a2a-1.0',
    binding: 'jsonrpc',
    status: '200',
    error: 'taskNotFound',
    reason: 'Task not found',
    events: 0,
    losses: 0,
    lossPaths: [],
    taskId: undefined,
    taskKey: undefined,
    requestId: `request-${count}`,
    traceId: undefined,
    policy: undefined,
    ...more,
  };
  return record as CallRecord;
};

/** The call as the store keeps it, of one run of a replica. */
export const keptCall = (record: CallRecord, instance = 'aaaaaaaa'): KeptCall => ({
  id: `${instance}-${record.seq}`,
  record,
});

export const instance = (more: Partial<Instance> = {}): Instance => {
  const now = Date.now();
  return { instance: 'aaaaaaaa', replica: 'one', beganAt: now, storedAt: now, endedAt: undefined, ...more };
};
