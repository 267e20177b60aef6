import { sql } from 'kysely';
import { defaultStore } from '../../config/sections/store.ts';
import type { Config } from '../../config/types.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Database } from '../../stores/database.ts';
import type { StoreHost } from '../../stores/extensions.ts';
import { positionName } from '../../stores/full-text/indexer.ts';
import { createStore } from '../../stores/index.ts';
import { type Moved, moveRows, NotMoved, type OwnedTable, taskTables } from '../../stores/move.ts';
import type { StoredPart } from '../compose/extension.ts';
import { extensions } from '../compose/extensions.ts';

/** What is moved to the store `to`. At least one of agent and tenant is there. */
export interface MoveRequest {
  /** Its tasks for all tenants but those of `tenants` in the configuration. Default: of all agents. */
  readonly agent?: string | undefined;
  readonly tenant?: string | undefined;
  /** One of `stores`, or `default`. */
  readonly to: string;
}

export interface MoveDeps {
  readonly logger: Logger;
  /** Called with a table and the number of its rows that were moved so far. */
  readonly onMoved: (table: string, rows: number) => void;
}

interface OpenStore {
  readonly name: string;
  readonly store: Store;
  readonly database: Database;
}

/**
 * Brings what all other stores keep of an agent or a tenant to one store. It can be called again where it was interrupted.
 *
 * Rejects with `NotMoved` where replicas work on it, or may, and with an A2AError where a store cannot be opened.
 *
 * @returns the rows that were moved, by their tables
 */
export async function moveTasks(config: Config, request: MoveRequest, deps: MoveDeps): Promise<Map<string, number>> {
  const urls = new Map([[defaultStore, config.store], ...Object.entries(config.stores)]);
  if (!urls.has(request.to)) {
    throw new NotMoved(`there is no store "${request.to}"; expected one of ${[...urls.keys()].join(', ')}`);
  }
  const opened: OpenStore[] = [];
  try {
    // One after the other: the first one that cannot be opened says why.
    for (const [name, url] of urls) opened.push(await open(name, url, deps.logger));
    await requireRest(opened, request);
    return await moveAll(opened, movedBy(config, request), request.to, deps);
  } finally {
    for (const { store } of opened) await store.close();
  }
}

const movedBy = ({ tenants }: Config, { agent, tenant }: MoveRequest): Moved => ({
  agent,
  tenants: tenant === undefined ? { except: Object.keys(tenants) } : { only: [tenant] },
});

async function open(name: string, url: string, logger: Logger): Promise<OpenStore> {
  if (url === 'memory:') throw new NotMoved(`the store ${name} is in the memory of a gateway`);
  const store = createStore(patient(url), { instance: 'move', logger });
  await store.open();
  let database: Database | undefined;
  await store.extend(async (host: StoreHost) => {
    database = host.database;
    return {};
  });
  return { name, store, database: database as unknown as Database };
}

/** The URL, with time for large statements. */
function patient(url: string): string {
  if (!url.startsWith('postgres') || /[?&](?:statement|query)_timeout=/.test(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}statement_timeout=600000&query_timeout=602000`;
}

/** Rejects where a replica may write to what is moved. */
async function requireRest(opened: readonly OpenStore[], { agent, tenant }: MoveRequest): Promise<void> {
  const replicas = (await Promise.all(opened.map(({ store }) => store.replicas()))).flat();
  const live = replicas.filter(({ isAlive, id }) => isAlive && !id.startsWith('move/'));
  if (live.length === 0) return;
  if (agent === undefined || tenant !== undefined) {
    throw new NotMoved(`stop the gateway first: ${live.length} of its replicas may write for the tenant`);
  }
  const modes = (await opened[0]?.store.agentModes()) ?? [];
  if (modes.find((mode) => mode.agent === agent)?.mode !== 'disabled') {
    throw new NotMoved(`disable the agent first: a2a-gateway admin set-agent-mode ${agent} --mode disabled`);
  }
}

async function moveAll(
  opened: readonly OpenStore[],
  of: Moved,
  to: string,
  { onMoved }: MoveDeps,
): Promise<Map<string, number>> {
  const target = opened.find(({ name }) => name === to) as OpenStore;
  const moved = new Map<string, number>();
  const stored = await Promise.all(extensions.flatMap((extension) => extension.stored?.() ?? []));
  const parts: readonly Partial<StoredPart>[] = [{ tables: taskTables }, ...stored];
  for (const { database } of opened.filter((one) => one !== target)) {
    for (const { tables = [], open: create } of parts) {
      if (!(await hasTable(database, tables))) continue;
      if (create) await target.store.extend(create);
      for (const table of tables) {
        const before = moved.get(table.name) ?? 0;
        const options = { from: database, to: target.database, of };
        const rows = await moveRows(table, { ...options, onMoved: (name, so) => onMoved(name, before + so) });
        moved.set(table.name, before + rows);
      }
    }
  }
  if (moved.get('task')) await sql`delete from meta where name = ${positionName}`.execute(target.database.sql);
  return moved;
}

const hasTable = async ({ sql: db }: Database, [first]: readonly OwnedTable[]): Promise<boolean> =>
  (await db.introspection.getTables()).some(({ name }) => name === first?.name);
