import { timestamp } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { AdminHandlers } from './service.ts';

/** The active configuration, as operators may see it. */
export interface ShownConfig {
  /** In the form of the configuration file, without secrets. */
  readonly settings: JsonObject;
  /** Path of the file; undefined without one. */
  readonly file: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The outcome of a reload. */
export interface ReloadOutcome {
  /** Names of agents. */
  readonly agents: Readonly<Record<'added' | 'changed' | 'removed', readonly string[]>>;
  /** How many streams were ended because their callers lost access. */
  readonly ended: number;
  /** Paths of settings that were changed and take effect after a restart. */
  readonly restart: readonly string[];
}

export interface ConfigHandlersDeps {
  readonly active: () => ShownConfig;
  /** Reads the file again and applies it. Rejects with an A2AError. Undefined: there is no file to read. */
  readonly reload: (() => Promise<ReloadOutcome>) | undefined;
}

/** The operations about the configuration. */
export function configHandlers(deps: ConfigHandlersDeps): AdminHandlers<'GetConfig' | 'ReloadConfig'> {
  return {
    async GetConfig() {
      const { settings, file = '', since } = deps.active();
      const reloadable = deps.reload !== undefined;
      return { value: { settings, file, activeSince: timestamp(since), reloadable } };
    },

    async ReloadConfig() {
      if (!deps.reload) {
        const message =
          'This gateway has no configuration file to read again; a program applies settings with reload()';
        throw new A2AError('unsupportedOperation', message);
      }
      const { agents, ended, restart } = await deps.reload();
      const { added, changed, removed } = agents;
      return {
        value: {
          ...{ added: [...added], changed: [...changed], removed: [...removed] },
          ...{ endedStreams: ended, restart: [...restart] },
        },
      };
    },
  };
}
