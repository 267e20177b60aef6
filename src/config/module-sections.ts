import type { AuthSettings } from '../auth/settings.ts';
import { formatDuration } from '../core/model/scalars.ts';
import type { ApprovalsConfig, GuardConfig, PolicyConfig, RetentionConfig, SunsetConfig } from '../gen/settings.ts';
import { below, type ResolveContext } from './context.ts';
import { approvals, checkApprovals } from './sections/approvals.ts';
import { type CallsConfig, calls } from './sections/calls.ts';
import { checkGuardForms, guards } from './sections/guards.ts';
import {
  checkKnowledgePackages,
  type KnowledgeConfig,
  type KnowledgeSetting,
  knowledge,
  knowledgeRules,
  resolveKnowledge,
  shownKnowledge,
} from './sections/knowledge.ts';
import { checkPolicyForms, policies } from './sections/policies.ts';
import { type QuestionsConfig, questions, requireCaller, resolveQuestions } from './sections/questions.ts';
import { checkSunset, sunset } from './sections/sunset.ts';

// Settings that only modules of the gateway read. The rest of the configuration passes them on without knowing their
// names.

/** Sections of the configuration that modules read. */
export const moduleSections = {
  policies,
  guards,
  questions: questions.optional().describe('Deadlines, reminders, delegates and the webhook for questions of agents.'),
  approvals: approvals.optional().describe('Services in which people decide about calls and answer questions.'),
  sunset,
  calls,
};

/** First path segments that belong to modules. */
export const moduleSegments: readonly string[] = ['approvals', 'knowledge', 'questions'];

/** Sections of an active configuration that modules read. */
export interface ModuleConfigs {
  /** Policies that decide about calls, in the order of the file. */
  readonly policies: readonly PolicyConfig[];
  /** Guards, in the order of the file. */
  readonly guards: readonly GuardConfig[];
  /** Defaults for the questions of agents. The settings of each agent include them too. */
  readonly questions?: QuestionsConfig | undefined;
  /** Services in which people are asked and make decisions. */
  readonly approvals?: ApprovalsConfig | undefined;
  /** The announced ends of generations of A2A, by dialect. */
  readonly sunset: Readonly<Record<string, SunsetConfig>>;
  /** Settings for the calls that the store keeps. */
  readonly calls: boolean | CallsConfig;
}

/** Settings that agents of every kind have. */
export const agentSections = () => ({
  knowledge: knowledge
    .prefault(false)
    .describe('Whether the gateway keeps a knowledge graph for the agent, or the rules for it.'),
  questions: questions.optional().describe("Settings for the agent's questions that differ from those of all agents."),
});

interface AgentInput {
  readonly knowledge: KnowledgeSetting;
  readonly questions?: QuestionsConfig | undefined;
}

/** Settings of an agent of an active configuration. */
export interface AgentModuleConfigs {
  /** Knowledge that the gateway keeps for the agent. */
  readonly knowledge?: KnowledgeConfig;
  /** Settings for its questions. */
  readonly questions?: QuestionsConfig;
}

/** Reports problems in the sections, and packages that are missing for the settings of agents. */
export function checkModuleSections(
  input: ModuleConfigs & { readonly agents?: Readonly<Record<string, AgentInput>> | undefined },
  auth: AuthSettings,
  cx: ResolveContext,
): void {
  if (input.questions?.for !== undefined) requireCaller(input.questions.for, auth, below(cx, 'questions').report);
  checkPolicyForms(input.policies, below(cx, 'policies').report, auth);
  checkSunset(input.sunset, cx.report);
  checkGuardForms(input.guards, below(cx, 'guards').report, auth);
  checkApprovals(input.approvals, auth, below(cx, 'approvals').report);
  const agents = below(cx, 'agents');
  for (const [name, agent] of Object.entries(input.agents ?? {})) {
    checkKnowledgePackages(agent.knowledge, below(below(agents, name), 'knowledge').report);
  }
}

/**
 * Resolves the settings of an agent.
 *
 * @param ofAll the sections, with defaults filled in
 * @param keepsNothing whether the gateway stores nothing for the agent
 */
export function resolveModuleSettings(
  agent: AgentInput,
  { ofAll, keepsNothing }: { readonly ofAll: Pick<ModuleConfigs, 'questions'>; readonly keepsNothing: boolean },
  auth: AuthSettings,
  cx: ResolveContext,
): AgentModuleConfigs {
  const rules = knowledgeRules(agent.knowledge);
  if (rules && keepsNothing) {
    cx.report(['knowledge'], 'the gateway stores nothing for this agent: remove knowledge, or keep: none');
  }
  return {
    ...(rules && { knowledge: resolveKnowledge(rules, auth, below(cx, 'knowledge')) }),
    ...resolveQuestions(ofAll.questions, agent.questions, auth, below(cx, 'questions')),
  };
}

/** Returns warnings about valid sections. `passedOn` lists the agents with `keep: none`. */
export function moduleWarnings(
  {
    policies: given,
    guards: judges,
    retention,
  }: Pick<ModuleConfigs, 'policies' | 'guards'> & { readonly retention: RetentionConfig },
  passedOn: readonly string[],
): string[] {
  const asks = [
    ...given.map(({ name, ask }) => [`policy ${name}`, ask] as const),
    ...judges.map(({ name, approvers }) => [`guard ${name}`, approvers] as const),
  ];
  const { tasks: kept } = retention;
  const late = asks.flatMap(([by, people]) =>
    people && people.until > kept
      ? [
          `${by}: retention.tasks deletes a call that waits after ${formatDuration(kept)}, ` +
            `before anything is decided at its until (${formatDuration(people.until)}); set until to less, or retention.tasks to more`,
        ]
      : [],
  );
  const asking = given.find(({ ask, where, shadow }) => ask && where === undefined && !shadow);
  if (!asking) return late;
  const text = `with keep: none its calls cannot wait for people, so the policy ${asking.name} refuses all of them`;
  return [...late, ...passedOn.map((name) => `agent ${name}: ${text}`)];
}

/** An agent without the settings that modules read. */
type WithoutModules<A> = A extends unknown ? Omit<A, keyof AgentModuleConfigs> : never;

/** Separates the settings of an agent that modules read from all others. */
export function splitSettings<A extends { readonly [K in keyof AgentModuleConfigs]?: unknown }>(agent: A) {
  const { knowledge: ofKnowledge, questions: ofQuestions, ...others } = agent;
  return { ofModules: { ofKnowledge, ofQuestions }, others: others as WithoutModules<A> };
}

/** Returns the services that modules add to an agent, by name, each with the path of an operation. */
export const servicesOf = (agent: AgentModuleConfigs): Readonly<Record<string, string>> =>
  agent.knowledge ? { knowledge: '/knowledge:query' } : {};

/** Returns the settings of an agent that modules read, in the form of the file. */
export const shownModuleSettings = (agent: AgentModuleConfigs): object => ({
  questions: agent.questions,
  knowledge: agent.knowledge ? shownKnowledge(agent.knowledge) : false,
});
