import { connect, type Task } from '../../src/client/index.ts';
import { isTerminal } from '../../src/core/lifecycle.ts';
import type { Violation } from './check-logs.ts';
import { type Logs, markerOf, taskAt } from './logs.ts';

/** What the gateways say of themselves when a task cannot be gone on with. */
const lost = /gateway stopped/i;

const textOf = ({ artifacts = [] }: Task): string =>
  artifacts.flatMap(({ parts }) => parts.map(({ text }) => text ?? '')).join('|');

/** Tasks of the agent that survived end as it says; it was given no message twice. */
export async function checkUpstream(url: string, logs: Logs): Promise<{ tasks: number; violations: Violation[] }> {
  const theirs = await tasksOf(url);
  const violations: Violation[] = [];
  const byMarker = new Map<string, Task>();
  for (const task of theirs) {
    for (const message of task.history ?? []) {
      const marker = markerOf(message);
      if (marker === undefined) continue;
      if (byMarker.has(marker)) violations.push({ what: `the upstream agent was given ${marker} twice` });
      byMarker.set(marker, task);
    }
  }
  for (const task of logs.tasks) {
    if (task.agent !== 'far') continue;
    const ours = taskAt(task.log, task.seq);
    const marker = (ours?.history ?? []).map(markerOf).find((one) => one !== undefined);
    const there = byMarker.get(marker ?? '');
    const said = ours?.status.message?.parts[0]?.text ?? '';
    if (!ours || (ours.status.state === 'TASK_STATE_FAILED' && lost.test(said))) continue;
    if (!there) violations.push({ what: 'the upstream agent has never heard of it', task });
    else if (there.status.state !== ours.status.state && isTerminal(there.status.state)) {
      violations.push({ what: `the upstream agent says ${there.status.state}`, task });
    } else if (textOf(there) !== textOf(ours)) {
      violations.push({ what: `the upstream agent made something else: ${textOf(there)}`, task });
    }
  }
  return { tasks: theirs.length, violations };
}

async function tasksOf(url: string): Promise<Task[]> {
  const client = await connect(url, { as: 'a2a-1.0', via: 'jsonrpc' });
  const tasks: Task[] = [];
  try {
    let pageToken = '';
    do {
      const page = await client.listTasks({ pageSize: 100, pageToken, includeArtifacts: true, historyLength: 100 });
      tasks.push(...page.tasks);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
  } finally {
    await client.close();
  }
  return tasks;
}
