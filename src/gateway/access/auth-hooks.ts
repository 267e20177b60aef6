import { filesOf, isUnchanged, newLoad } from '../../agents/module-graph.ts';
import { loadUserModule, makeFromModule } from '../../agents/user-module.ts';
import { hookLog } from '../../auth/hooks/hook-runner.ts';
import type { AuthHooks, AuthModuleSettings, ConfiguredHooks } from '../../auth/hooks/hooks.ts';
import type { HookSettings } from '../../auth/settings.ts';
import { fingerprint } from '../../config/fingerprint.ts';
import { api } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { violationsOf } from '../../wire/validate.ts';

/** Hooks, with facts about the module that they come from. */
export interface OpenedHooks extends ConfiguredHooks {
  /** Fingerprint of the module's settings. */
  readonly fingerprint?: string;
  /** States of the module's files. */
  readonly files?: () => ReadonlyMap<string, string>;
}

/** Ids of hooks, by their functions. */
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
 * describes the fault of the module.
 *
 * @param former the hooks of the configuration that this one replaces. An unchanged module is not loaded again
 */
export async function openAuthHooks(
  { module, code = {}, timeout }: HookSettings,
  logger: Logger,
  former?: OpenedHooks,
): Promise<OpenedHooks> {
  if (!module) {
    requireValidSchemes(code, 'auth in code');
    return { hooks: code, timeout, logger, id: idOf(code) };
  }
  const print = fingerprint(module);
  if (former?.fingerprint === print && isUnchanged(former.files?.() ?? new Map()))
    return { ...former, timeout, logger };
  const hooks = await loadAuthModule(module, logger, former && newLoad());
  return { hooks, timeout, logger, id: idOf(hooks), fingerprint: print, files: filesOf(module.path) };
}

/** Loads the hooks that a user's file exports. Rejects with an A2AError that describes the fault. */
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
  requireValidSchemes(exported, what);
  return exported;
}

/** A card that is valid without security schemes. */
const emptyCard = {
  name: 'a',
  description: 'a',
  version: '1',
  capabilities: {},
  defaultInputModes: ['a/b'],
  defaultOutputModes: ['a/b'],
  skills: [{ id: 'a', name: 'a', description: 'a', tags: ['a'] }],
  supportedInterfaces: [{ url: 'http://localhost', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
};

/** Keys of a security scheme, of which the one that is present determines its kind (A2A 1.0.1 section 4.5). */
const schemeKinds = [
  ...['apiKeySecurityScheme', 'httpAuthSecurityScheme', 'oauth2SecurityScheme'],
  ...['openIdConnectSecurityScheme', 'mtlsSecurityScheme'],
];

/** @throws A2AError `internal` if the schemes would make every card invalid */
function requireValidSchemes({ securitySchemes, securityRequirements }: AuthHooks, what: string): void {
  const card = { ...emptyCard, securitySchemes, securityRequirements };
  const unknown = Object.entries(securitySchemes ?? {}).filter(
    ([, scheme]) => !isObject(scheme) || !schemeKinds.some((kind) => kind in scheme),
  );
  const faults = [
    ...unknown.map(([name]) => ({
      field: `securitySchemes.${name}`,
      description: `has none of ${schemeKinds.join(', ')}`,
    })),
    ...violationsOf(api, 'lf.a2a.v1.AgentCard', JSON.parse(JSON.stringify(card))),
  ];
  if (faults.length === 0) return;
  const problems = faults.map(({ field, description }) => `${field} ${description}`).join('; ');
  throw new A2AError('internal', `${what} has security schemes that are not valid: ${problems}`);
}

/** Whether an object has at least one hook, and all of its hooks are functions. */
const hasHook = (exported: object): exported is AuthHooks => {
  const { authenticate, authorize } = exported as Readonly<Record<keyof AuthHooks, unknown>>;
  const hooks = [authenticate, authorize].filter((hook) => hook !== undefined);
  return hooks.length > 0 && hooks.every((hook) => typeof hook === 'function');
};
