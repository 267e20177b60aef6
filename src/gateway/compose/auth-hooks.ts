import { filesOf, isUnchanged, newLoad } from '../../agents/module-graph.ts';
import { loadUserModule, makeFromModule } from '../../agents/user-module.ts';
import { hookLog } from '../../auth/hook-runner.ts';
import type { AuthHooks, AuthModuleSettings, ConfiguredHooks } from '../../auth/hooks.ts';
import type { HookSettings } from '../../auth/settings.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { fingerprint } from '../reload/fingerprint.ts';

/** Hooks, and what they were made from. */
export interface OpenedHooks extends ConfiguredHooks {
  /** Of the settings of a module. */
  readonly fingerprint?: string;
  /** States of the module's files. */
  readonly files?: () => ReadonlyMap<string, string>;
}

/** Ids of the functions of hooks. */
const ids = new WeakMap<object, string>();
let known = 0;

function idOf({ authenticate, authorize }: AuthHooks): string {
  const hook = authenticate ?? authorize ?? {};
  const id = ids.get(hook) ?? String(++known);
  ids.set(hook, id);
  return id;
}

/**
 * The program's own authentication and authorization: hooks in code, or those of a module. Rejects with an A2AError that
 * says what is wrong with the module.
 *
 * @param former those of the configuration that this one replaces: a module that is the same is not loaded again
 */
export async function openAuthHooks(
  { module, code = {}, timeout }: HookSettings,
  logger: Logger,
  former?: OpenedHooks,
): Promise<OpenedHooks> {
  if (!module) return { hooks: code, timeout, logger, id: idOf(code) };
  const print = fingerprint(module);
  if (former?.fingerprint === print && isUnchanged(former.files?.() ?? new Map()))
    return { ...former, timeout, logger };
  const hooks = await loadAuthModule(module, logger, former && newLoad());
  return { hooks, timeout, logger, id: idOf(hooks), fingerprint: print, files: filesOf(module.path) };
}

/** Loads the hooks that a user's file exports. Rejects with an A2AError that says what is wrong with it. */
export async function loadAuthModule(
  { path, config, env = new Map() }: NonNullable<HookSettings['module']>,
  logger: Logger,
  load?: string,
): Promise<AuthHooks> {
  const what = `The authentication module ${path}`;
  const loaded = await loadUserModule(what, path, load);
  const revealed = Object.fromEntries([...env].map(([name, secret]) => [name, secret.reveal()]));
  const settings: AuthModuleSettings = { config, env: revealed, log: hookLog(logger, 'auth') };
  const isFunction = typeof loaded.default === 'function';
  if (!isFunction && (config !== undefined || env.size > 0)) {
    const advice = 'export a function by default: it is called with { config, env, log }, and returns { authenticate }';
    throw new A2AError('internal', `${what} takes no config and no env; ${advice}.`);
  }
  const exported = isFunction ? await makeFromModule(what, loaded, settings) : (loaded.default ?? { ...loaded });
  if (!isObject(exported) || !hasHook(exported)) {
    const expected =
      'authenticate, authorize or both, or by default a function that returns { authenticate, authorize }';
    throw new A2AError('internal', `${what} must export ${expected}.`);
  }
  return exported;
}

/** Whether there is a hook, and each is a function. */
const hasHook = (exported: object): exported is AuthHooks => {
  const { authenticate, authorize } = exported as Readonly<Record<keyof AuthHooks, unknown>>;
  const hooks = [authenticate, authorize].filter((hook) => hook !== undefined);
  return hooks.length > 0 && hooks.every((hook) => typeof hook === 'function');
};
