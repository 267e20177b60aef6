import type { StreamResponse, Struct } from '../model/a2a.ts';
import { isObject, type JsonObject } from '../model/json.ts';

/** Usage of a run, as reported by its agent. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Cost in the agent's currency: US dollars, by all conventions that name one. */
  readonly cost?: number;
  /** Provider of the model, such as `openai`. */
  readonly provider?: string;
  readonly model?: string;
}

/**
 * Keys of metadata under which agents report usage: Google's ADK and kagent, LangChain, and agents that pass on the
 * answers of models' APIs. OpenTelemetry's names stand in the metadata themselves.
 */
const usageKeys = [
  'adk_usage_metadata',
  'kagent_usage_metadata',
  'usage_metadata',
  'usageMetadata',
  'usage',
  'token_usage',
];

/** Names of numbers in such an object, as OpenAI, Anthropic, LangChain and Gemini write them. */
const inputNames = ['input_tokens', 'inputTokens', 'prompt_tokens', 'promptTokens', 'promptTokenCount'];
const outputNames = ['output_tokens', 'outputTokens', 'completion_tokens', 'completionTokens', 'candidatesTokenCount'];
/** Name of Gemini's separate count of thoughts. */
const thoughts = 'thoughtsTokenCount';
const costNames = ['cost', 'cost_usd', 'costUsd', 'total_cost', 'totalCost', 'total_cost_usd'];
/**
 * Names of costs in the metadata themselves: those of OpenTelemetry, Claude and LiteLLM. A plain `cost` may be the
 * price of something else.
 */
const costNamesOfMetadata = [
  ...['gen_ai.usage.cost', 'gen_ai.cost.total_tokens'],
  ...['cost_usd', 'costUsd', 'total_cost_usd', 'totalCostUsd', 'response_cost', 'totalCost'],
];

/** Reads the usage in an agent's metadata. Undefined if there is none in a known form. */
function usageIn(metadata: Struct | undefined): Usage | undefined {
  if (!metadata) return undefined;
  const object = usageKeys.map((key) => metadata[key]).find(isObject) ?? {};
  const input = numberOf(object, inputNames) ?? numberOf(metadata, ['gen_ai.usage.input_tokens']);
  const output = numberOf(object, outputNames) ?? numberOf(metadata, ['gen_ai.usage.output_tokens']);
  const cost = numberOf(object, costNames) ?? numberOf(metadata, costNamesOfMetadata);
  if (input === undefined && output === undefined && cost === undefined) return undefined;
  const provider = textOf(metadata['gen_ai.provider.name']);
  const model = textOf(metadata['gen_ai.response.model'] ?? object.model);
  return {
    ...(input !== undefined && { inputTokens: Math.floor(input) }),
    ...(output !== undefined && { outputTokens: Math.floor(output + (numberOf(object, [thoughts]) ?? 0)) }),
    ...(cost !== undefined && { cost }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
  };
}

/** Largest value of one report. Sums beyond it are not exact. */
const most = Number.MAX_SAFE_INTEGER;

const numberOf = (object: JsonObject, names: readonly string[]): number | undefined =>
  names.map((name) => object[name]).find((value) => typeof value === 'number' && value >= 0 && value <= most) as
    | number
    | undefined;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 128) : undefined;

/** Reads the usage that one event reports: in its own metadata, else in those of its message or artifact. */
function usageOfEvent({ task, message, statusUpdate, artifactUpdate }: StreamResponse): Usage | undefined {
  if (message) return usageIn(message.metadata);
  if (task) return usageIn(task.metadata) ?? usageIn(task.status.message?.metadata);
  if (statusUpdate) return usageIn(statusUpdate.metadata) ?? usageIn(statusUpdate.status.message?.metadata);
  return usageIn(artifactUpdate?.metadata) ?? usageIn(artifactUpdate?.artifact.metadata);
}

/** Adds the usage that an event reports: each update of a run reports its part, a task the total so far. */
export function addUsage(known: Usage | undefined, event: StreamResponse): Usage | undefined {
  const added = usageOfEvent(event);
  if (!added || !known) return added ?? known;
  const total: { -readonly [K in keyof Usage]: Usage[K] } = { ...known, ...added };
  for (const key of ['inputTokens', 'outputTokens', 'cost'] as const) {
    const before = known[key];
    const more = added[key];
    if (before === undefined || more === undefined) continue;
    total[key] = event.task ? Math.max(before, more) : Math.min(most, before + more);
  }
  return total;
}
