import { type Config, defaultConfig, loadConfig } from '../../config/index.ts';
import { createLogger } from '../../gateway/compose/logger.ts';
import { moveTasks } from '../../gateway/stores/move-tasks.ts';
import { CommandFailed } from '../exit-code.ts';
import type { Output } from '../output.ts';

export interface StoreMoveOptions {
  readonly config: string;
  readonly to: string;
  readonly tenant?: string;
  readonly json?: boolean;
}

/** `a2a-gateway store move`: brings the tasks and the knowledge of an agent, or of a tenant, to another store. */
export async function storeMove(agent: string | undefined, options: StoreMoveOptions, output: Output): Promise<void> {
  const { to, tenant } = options;
  if (agent === undefined && tenant === undefined) throw new CommandFailed('name an agent, or a tenant with --tenant');
  const config: Config = { ...(await loadConfig(options.config)), log: { ...defaultConfig().log, level: 'error' } };
  const moved = await moveTasks(
    config,
    { agent, tenant, to },
    { logger: createLogger(config), onMoved: (table, rows) => output.progress(`${table}: ${rows} rows`) },
  ).catch((error: Error) => {
    output.clearProgress();
    throw new CommandFailed(error.message);
  });
  output.clearProgress();
  if (options.json) {
    output.print(`${JSON.stringify({ to, rows: Object.fromEntries(moved) })}\n`);
    return;
  }
  const what = [agent, tenant === undefined ? undefined : `the tenant ${tenant}`].filter(Boolean).join(' of ');
  const tasks = moved.get('task') ?? 0;
  output.print(`${tasks} ${tasks === 1 ? 'task' : 'tasks'} of ${what} moved to the store ${to}\n`);
  for (const [table, rows] of moved) if (rows > 0 && table !== 'task') output.note(`${table}: ${rows} rows`);
}
