import { sql } from 'kysely';
import { UnreadableRow } from '../../core/model/stored-form.ts';
import type { AgentMode, AgentModeSetting, AgentModeStore } from '../../core/ports/agent-modes.ts';
import type { DamagedRows } from '../../core/ports/damaged-rows.ts';
import type { Database } from '../database.ts';
import { escapeText, unescapeText } from '../text.ts';
import type { SharedClock } from './clock.ts';
import type { WrittenTopic } from './store-watch.ts';

const unknownMode = new UnreadableRow('its mode is none that this version knows: the agent counts as disabled');

interface ModeRow {
  readonly agent: string;
  readonly mode: string;
  readonly changed_at: number;
  readonly changed_by: string;
}

const modes: readonly string[] = ['enabled', 'draining', 'disabled'] satisfies readonly AgentMode[];

/** Reads a mode. A mode that a newer version wrote counts as the strictest one that this version knows. */
const modeOf = (column: string): AgentMode => (modes.includes(column) ? (column as AgentMode) : 'disabled');

const settingOf = ({ agent, mode, changed_at, changed_by }: ModeRow): AgentModeSetting => ({
  agent: unescapeText(agent),
  mode: modeOf(mode),
  changedAt: Number.isSafeInteger(changed_at) ? changed_at : 0,
  changedBy: typeof changed_by === 'string' ? unescapeText(changed_by) : '',
});

export interface AgentModeTableDeps {
  readonly database: Database;
  readonly clock: SharedClock;
  readonly damaged: DamagedRows;
  readonly topic: Pick<WrittenTopic, 'wrote'>;
}

export function createAgentModes({ database, clock, damaged, topic }: AgentModeTableDeps): AgentModeStore {
  const { sql: db } = database;
  return {
    async agentModes() {
      const { rows } = await sql<ModeRow>`
        select agent, mode, changed_at, changed_by from agent_mode order by agent`.execute(db);
      return rows.flatMap((row) => {
        const setting = damaged.read('agent_mode', [row.agent], () => settingOf(row));
        if (setting && !modes.includes(row.mode)) damaged.note('agent_mode', [row.agent], unknownMode);
        return setting ?? [];
      });
    },

    async setAgentMode(agent, mode, changedBy) {
      const row = { agent: escapeText(agent), mode, changed_at: clock.now(), changed_by: escapeText(changedBy) };
      await sql`
        insert into agent_mode (agent, mode, changed_at, changed_by)
        values (${row.agent}, ${mode}, ${row.changed_at}, ${row.changed_by})
        on conflict (agent) do update set
          mode = excluded.mode, changed_at = excluded.changed_at, changed_by = excluded.changed_by`.execute(db);
      topic.wrote();
      return settingOf(row);
    },
  };
}
