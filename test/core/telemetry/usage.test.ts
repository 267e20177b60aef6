import { expect, it } from 'vitest';
import type { StreamResponse, Struct } from '../../../src/core/model/a2a.ts';
import { addUsage, type Usage } from '../../../src/core/telemetry/usage.ts';

const ids = { taskId: 't', contextId: 'c' };
const working = { state: 'TASK_STATE_WORKING' } as const;
const update = (metadata: Struct): StreamResponse => ({ statusUpdate: { ...ids, status: working, metadata } });
const total = (...events: StreamResponse[]): Usage | undefined => events.reduce<Usage | undefined>(addUsage, undefined);

it.each<[software: string, metadata: Struct, usage: Usage | undefined]>([
  [
    'Google’s ADK',
    { adk_usage_metadata: { promptTokenCount: 415, candidatesTokenCount: 15, totalTokenCount: 430 } },
    { inputTokens: 415, outputTokens: 15 },
  ],
  [
    'Gemini, thinking',
    { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 7 } },
    { inputTokens: 10, outputTokens: 12 },
  ],
  [
    'LangChain',
    { usage_metadata: { input_tokens: 677, output_tokens: 70, total_tokens: 747 } },
    { inputTokens: 677, outputTokens: 70 },
  ],
  [
    'OpenRouter',
    { usage: { prompt_tokens: 100, completion_tokens: 20, cost: 0.0145 }, other: 1 },
    { inputTokens: 100, outputTokens: 20, cost: 0.0145 },
  ],
  [
    'Claude Code',
    { total_cost_usd: 0.25, usage: { input_tokens: 3, output_tokens: 4 } },
    { inputTokens: 3, outputTokens: 4, cost: 0.25 },
  ],
  [
    'OpenTelemetry’s names',
    {
      'gen_ai.usage.input_tokens': 1,
      'gen_ai.usage.output_tokens': 2,
      'gen_ai.usage.cost': 3,
      'gen_ai.provider.name': 'openai',
      'gen_ai.response.model': 'gpt-5',
    },
    { inputTokens: 1, outputTokens: 2, cost: 3, provider: 'openai', model: 'gpt-5' },
  ],
  ['LiteLLM', { response_cost: 0.5 }, { cost: 0.5 }],
  ['a price of something else', { cost: 12 }, undefined],
  ['numbers that are none', { usage: { input_tokens: -1, output_tokens: '5', cost: 1e300 } }, undefined],
  ['a text', { usage: 'see the manual', 'gen_ai.provider.name': 'openai' }, undefined],
])('the usage of a task reads what %s reports', (_, metadata, usage) => {
  expect(total(update(metadata))).toEqual(usage);
});

const report = (tokens: number, cost?: number): Struct => ({
  usage: { input_tokens: tokens, output_tokens: 1, ...(cost !== undefined && { cost }) },
});

it('the usage of a task adds the reports of updates, wherever an event has its report, once', () => {
  const inMessage = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [], metadata: report(30) };
  const artifact = { artifactId: 'a', parts: [], metadata: report(400) };
  const events: StreamResponse[] = [
    update(report(1, 0.5)),
    { statusUpdate: { ...ids, status: { ...working, message: inMessage } } },
    { artifactUpdate: { ...ids, artifact } },
    { artifactUpdate: { ...ids, artifact, metadata: report(5_000, 0.25) } },
    update({}),
  ];
  expect(total(...events)).toEqual({ inputTokens: 5_431, outputTokens: 4, cost: 0.75 });
  expect(total({ message: inMessage })).toEqual({ inputTokens: 30, outputTokens: 1 });
});

it('the usage of a task takes the report of a task for all of it until then', () => {
  const task = (tokens: number): StreamResponse => ({
    task: { id: 't', contextId: 'c', status: working, metadata: report(tokens) },
  });
  expect(total(task(10), task(10))).toEqual({ inputTokens: 10, outputTokens: 1 });
  expect(total(update(report(10)), update(report(10)), task(10))).toEqual({ inputTokens: 20, outputTokens: 2 });
  expect(total(update(report(10)), task(100), update(report(1)))).toEqual({ inputTokens: 101, outputTokens: 2 });
});
