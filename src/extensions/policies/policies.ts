import type { OpenStream } from '../../auth/stream-expiry.ts';
import type { TaskPushNotificationConfig } from '../../core/model/a2a.ts';
import { type Call, type Invoke, isStream, ownerOf, type Reply } from '../../core/model/call.ts';
import { CallDecisions } from '../../core/model/call-decisions.ts';
import { calledSkill } from '../../core/model/called-skill.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import { defined } from '../../core/model/json.ts';
import { type Principal, tenantOf } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import { askedTask } from '../../core/telemetry/call-fields.ts';
import type { PolicyConfig } from '../../gen/settings.ts';
import { askOf, isRelease } from '../conditions/asks.ts';
import {
  type Condition,
  type ConditionProblem,
  conditionsOf,
  type VariableName,
  verdictOf,
} from '../conditions/conditions.ts';
import {
  askedContext,
  type CallFacts,
  type FactSources,
  FactsOfCall,
  factsOfCaller,
  factsOfOwner,
  noTask,
  type TaskFacts,
} from '../conditions/facts.ts';
import type { DecisionCounts, PolicyOutcome } from './counts.ts';

/** A compiled policy. */
export interface Policy extends Pick<PolicyConfig, 'name' | 'ask' | 'reason' | 'log' | 'shadow'> {
  readonly effect: 'deny' | 'allow' | 'ask';
  /** Condition for the policy's calls. Undefined: every call. */
  readonly where: Condition | undefined;
  /** Condition of the policy; for a policy that asks, the calls about which it asks. */
  readonly condition: Condition;
}

/** Compiles policies. Also returns every fault in their conditions. */
export function compilePolicies(given: readonly PolicyConfig[]): { policies: Policy[]; problems: ConditionProblem[] } {
  const problems: ConditionProblem[] = [];
  const compile = conditionsOf('policies', problems);
  const policies = given.map(({ where, deny, allow, ...policy }, index): Policy => {
    if (policy.ask) {
      return { ...policy, effect: 'ask', where: undefined, condition: compile(index, 'where', where ?? 'true') };
    }
    const effect = deny === undefined ? 'allow' : 'deny';
    const condition = compile(index, effect, String(deny ?? allow));
    return { ...policy, effect, condition, where: where === undefined ? undefined : compile(index, 'where', where) };
  });
  return { policies, problems };
}

/** Decision about a call, and the policy that made it. */
export interface Decision {
  readonly policy: Policy;
  readonly isRefused: boolean;
  /** Error because of which the policy could not be evaluated. The policy refuses or asks then. */
  readonly failure?: Error | undefined;
}

/** Operations that send an agent a message. People are asked about these alone. */
const sending: ReadonlySet<string> = new Set(['SendMessage', 'SendStreamingMessage']);

/** Returns the decisions of the policies that ask people about a call. A policy that cannot be evaluated asks. */
export function asking(policies: readonly Policy[], facts: CallFacts): Decision[] {
  if (!sending.has(facts.operation)) return [];
  return policies.flatMap((policy) => {
    const holds = policy.effect === 'ask' ? verdictOf(policy.condition, facts) : 'no';
    return holds === 'no' ? [] : [{ policy, isRefused: false, failure: holds instanceof Error ? holds : undefined }];
  });
}

/**
 * Decides whether one call is refused. A policy with `deny` refuses where it holds. Of the policies with `allow` that are about the
 * call, one must hold. One that cannot be evaluated refuses, or does not allow. Policies that ask refuse nothing.
 *
 * @param known the variables that have a value. Policies that need others refuse nothing. Absent: all
 */
export function decide(
  policies: readonly Policy[],
  facts: CallFacts,
  known?: ReadonlySet<VariableName>,
): Decision | undefined {
  let unmet: Decision | undefined;
  let allowed: Policy | undefined;
  for (const policy of policies) {
    if (policy.effect === 'ask' || (policy.effect === 'allow' && allowed)) continue;
    const about = policy.where ? verdictOf(policy.where, facts, known) : 'yes';
    if (about === 'no') continue;
    const holds = about instanceof Error ? about : verdictOf(policy.condition, facts, known);
    const failure = holds instanceof Error ? holds : undefined;
    if (policy.effect === 'deny') {
      if (about !== 'unknown' && (failure || holds === 'yes')) return { policy, isRefused: true, failure };
    } else if (holds === 'yes' || holds === 'unknown') {
      allowed = policy;
    } else if (about !== 'unknown') {
      unmet ??= { policy, isRefused: true, failure };
    }
  }
  return allowed ? { policy: allowed, isRefused: false } : unmet;
}

export interface PolicyDeps extends FactSources {
  readonly agents: Pick<AgentDirectory, 'get'>;
  readonly store: Pick<Store, 'findRecord'>;
  readonly audit: Audit;
  readonly logger: Logger;
  readonly counts: DecisionCounts;
}

/** Variables that are known before a caller has sent a message. */
const ofCaller: ReadonlySet<VariableName> = new Set([
  'caller',
  'tenant',
  'agent',
  'skill',
  'operation',
  'binding',
  'now',
]);
/**
 * Variables for an open stream, and for a message to which people have agreed. Conditions on other variables have judged that
 * message before.
 */
const ofOpen: ReadonlySet<VariableName> = new Set(['caller', 'tenant', 'agent', 'operation', 'now']);
const ofOpenAlone: ReadonlySet<VariableName> = new Set(['tenant', 'agent', 'operation', 'now']);
/** Variables for a webhook. Conditions on the time apply to calls alone. */
const ofWebhook: ReadonlySet<VariableName> = new Set(['caller', 'tenant', 'agent', 'operation']);
const ofWebhookAlone: ReadonlySet<VariableName> = new Set(['tenant', 'agent', 'operation']);

const createsWebhook = 'CreateTaskPushNotificationConfig';

/** Policies of one configuration. */
export class Policies {
  readonly #deciding: readonly Policy[];
  /** Each with those by which it could have been allowed. */
  readonly #shadow: readonly (readonly [Policy, ...Policy[]])[];
  /** Policies that ask people, including those in shadow. */
  readonly #asking: readonly Policy[];
  readonly #deps: PolicyDeps;
  /** Whether a policy reads the task and the skill of a call. */
  readonly #readsTask: boolean;
  readonly #readsSkill: boolean;

  constructor(policies: readonly Policy[], deps: PolicyDeps) {
    this.#deciding = policies.filter(({ shadow }) => !shadow);
    const allowing = this.#deciding.filter(({ effect }) => effect === 'allow');
    this.#shadow = policies.flatMap((policy) => (policy.shadow ? [[policy, ...allowing]] : []));
    this.#asking = policies.filter(({ effect }) => effect === 'ask');
    this.#deps = deps;
    const reads = (name: VariableName): boolean =>
      policies.some(({ where, condition }) => condition.names.has(name) || where?.names.has(name));
    this.#readsTask = reads('task');
    this.#readsSkill = reads('skill');
  }

  /**
   * Middleware: refuses calls with `permissionDenied`, has people asked, and removes items from lists that the caller may not
   * read.
   */
  readonly intercept =
    (next: Invoke): Invoke =>
    (call) => {
      try {
        const skill = this.#readsSkill ? calledSkill(call, this.#deps.agents.get(call.context.agent)) : undefined;
        if (skill instanceof Promise) return skill.then(() => this.#judged(call, next));
        return this.#judged(call, next);
      } catch (thrown) {
        return Promise.reject(thrown);
      }
    };

  /** @throws A2AError if the call is refused at once */
  #judged(call: Call, next: Invoke): Promise<Reply> {
    if (this.#readsTask) return this.#withTask(call, next);
    this.#judge(call, noTask);
    return next(call);
  }

  /** Returns the error if a caller may not call an operation of an agent, as far as that is known without a message. */
  refusalFor(
    principal: Principal,
    agent: string,
    operation: string,
    skill: string,
    binding: string,
  ): A2AError | undefined {
    const facts = factsOfCaller(this.#current(principal), {
      tenant: tenantOf(principal, ''),
      agent,
      operation,
      skill,
      binding,
    });
    return errorOf(decide(this.#deciding, facts, ofCaller));
  }

  /** Returns the error if an open stream may not go on. */
  review({ principal, agent, operation, tenant = '' }: OpenStream): A2AError | undefined {
    // Streams of operators belong to no agent.
    if (operation === undefined || agent === '') return undefined;
    const facts = factsOfCaller(this.#current(principal), { agent, operation, tenant });
    return errorOf(decide(this.#deciding, facts, ofOpen));
  }

  /** Returns the error if the webhooks of a caller get no more events. */
  webhookRefusal(owner: Pick<TaskOwner, 'principal' | 'agent' | 'tenant'>): A2AError | undefined {
    const { facts, isKnown } = factsOfOwner(owner, this.#deps, { operation: createsWebhook });
    return errorOf(decide(this.#deciding, facts, isKnown ? ofWebhook : ofWebhookAlone));
  }

  #current(principal: Principal): Principal {
    return this.#deps.revalidate(principal) ?? principal;
  }

  async #withTask(call: Call, next: Invoke): Promise<Reply> {
    const id = askedTask(call.request);
    const contextId = askedContext(call.request);
    const task = (id && (await this.#taskOf(ownerOf(call), id))) || { ...noTask, contextId };
    this.#judge(call, task);
    const reply = await next(call);
    if (isStream(reply)) return reply;
    if (call.operation === 'ListTasks') return this.#withoutTasks(call, reply);
    if (id || call.operation !== 'ListTaskPushNotificationConfigs') return reply;
    const { configs = [] } = reply.value as { readonly configs?: readonly TaskPushNotificationConfig[] };
    return this.#withoutConfigs(call, reply, configs);
  }

  #taskOf(owner: TaskOwner, id: string): Promise<TaskFacts | undefined> {
    return this.#deps.store.findRecord(owner, id);
  }

  /** Judges a call and, if its message registers a webhook, the registration. */
  #judge(call: Call, task: TaskFacts): void {
    if (isRelease(call)) {
      const { facts, isKnown } = factsOfOwner(ownerOf(call), this.#deps, { operation: call.operation });
      this.#report(call, facts, isKnown ? ofOpen : ofOpenAlone);
      return;
    }
    const facts = new FactsOfCall(call, this.#deps, task);
    this.#report(call, facts);
    const { configuration } = call.request as { readonly configuration?: { taskPushNotificationConfig?: object } };
    if (configuration?.taskPushNotificationConfig)
      this.#report(call, new FactsOfCall(call, this.#deps, task, createsWebhook));
    this.#ask(call, facts);
  }

  /** Has people asked about a call that no policy refuses. */
  #ask(call: Call, facts: CallFacts): void {
    const { context } = call;
    const decisions = asking(this.#asking, facts);
    for (const decision of decisions) this.#note(call, decision, decision.policy.shadow ? 'shadow' : 'asked');
    const asked = decisions.flatMap(({ policy: { name, ask, reason, shadow } }) =>
      ask && !shadow ? [askOf(`policy ${name}`, ask, reason)] : [],
    );
    if (asked.length === 0) return;
    context.notes.policy = decisions.flatMap(({ policy }) => (policy.shadow ? [] : [policy.name])).join(', ');
    context.asks = [...(context.asks ?? []), ...asked];
  }

  /** Whether the caller could read an item with another operation. It is no decision about the call, and is not counted. */
  #isShown(call: Call, operation: string, task: TaskFacts): boolean {
    return !decide(this.#deciding, new FactsOfCall(call, this.#deps, task, operation))?.isRefused;
  }

  /** Removes the tasks that the caller may not read from a list. The list does not show how many were removed. */
  #withoutTasks(call: Call, reply: Exclude<Reply, { events: unknown }>): Reply {
    const { tasks = [], ...page } = reply.value as {
      readonly tasks?: readonly (TaskFacts & { status: { state: string } })[];
    };
    const shown = tasks.map(({ id, contextId, status }) =>
      this.#isShown(call, 'GetTask', { id, contextId, state: status.state }),
    );
    const kept = tasks.filter((_, at) => shown[at]);
    const { taskFacts } = reply;
    const value = { ...page, tasks: kept, totalSize: kept.length };
    return {
      value: value as unknown as typeof reply.value,
      ...(taskFacts && { taskFacts: taskFacts.filter((_, at) => shown[at]) }),
    };
  }

  /** Removes the webhooks of tasks that the caller may not read from a list. */
  async #withoutConfigs(
    call: Call,
    reply: Exclude<Reply, { events: unknown }>,
    configs: readonly TaskPushNotificationConfig[],
  ): Promise<Reply> {
    const owner = ownerOf(call);
    const tasks = new Map<string, TaskFacts | undefined>();
    for (const id of new Set(configs.map(({ taskId }) => taskId ?? ''))) tasks.set(id, await this.#taskOf(owner, id));
    const kept = configs.filter(({ taskId }) =>
      this.#isShown(call, 'GetTaskPushNotificationConfig', tasks.get(taskId ?? '') ?? noTask),
    );
    return { value: { ...reply.value, configs: kept } as unknown as typeof reply.value };
  }

  /** Decides about a call, counts the decision and writes it to the audit log. Throws A2AError `permissionDenied`. */
  #report(call: Call, facts: CallFacts, known?: ReadonlySet<VariableName>): void {
    for (const shadow of this.#shadow) {
      const decision = decide(shadow, facts, known);
      if (decision?.isRefused && decision.policy === shadow[0]) this.#note(call, decision, 'shadow');
    }
    const decision = decide(this.#deciding, facts, known);
    if (!decision) return;
    call.context.notes.policy = decision.policy.name;
    this.#note(call, decision, decision.isRefused ? 'refused' : 'allowed');
    const error = errorOf(decision);
    if (!error) return;
    call.context.notes.refusedBy = `policy ${decision.policy.name}`;
    throw error;
  }

  #note({ operation, context }: Call, { policy, failure }: Decision, outcome: PolicyOutcome): void {
    const { audit, logger } = this.#deps;
    const { name, log, reason } = policy;
    this.#deps.counts.add(name, outcome);
    if (failure) {
      this.#deps.counts.add(name, 'failed');
      // The reason may quote the caller's message.
      logger.debug({ policy: name, reason: failure.message }, 'a policy cannot be evaluated');
    }
    const cause = failure ? 'The policy cannot be evaluated' : reason;
    if (outcome !== 'allowed') {
      const would = policy.effect === 'ask' ? 'asked' : 'refused';
      context.notes.decisions ??= new CallDecisions();
      context.notes.decisions.add(
        defined({ rule: `policy ${name}`, outcome, would: outcome === 'shadow' ? would : undefined, reason: cause }),
      );
    }
    if (log === 'none' || (outcome === 'allowed' && log !== 'all')) return;
    const { agent, principal, requestId: request } = context;
    audit({
      event: `policy.${outcome}`,
      policy: name,
      ...(cause !== undefined && { reason: cause }),
      principal: principal.id,
      agent,
      operation,
      request,
    });
  }
}

function errorOf(decision: Decision | undefined): A2AError | undefined {
  if (!decision?.isRefused) return undefined;
  return new A2AError('permissionDenied', decision.policy.reason ?? 'A policy of this gateway refuses the call');
}
