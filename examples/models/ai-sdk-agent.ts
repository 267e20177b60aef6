import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { artifact, ask, defineAgent } from 'a2a-gateway';
import { isStepCount, type ModelMessage, streamText, tool } from 'ai';
import { z } from 'zod';

const { MODEL_URL = 'http://localhost:11434/v1', MODEL = 'qwen3', MODEL_KEY = 'none' } = process.env;
const model = createOpenAICompatible({ name: 'local', baseURL: MODEL_URL, apiKey: MODEL_KEY })(MODEL);

const tools = {
  get_weather: tool({
    description: 'Returns the weather in a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `18 °C and light rain in ${city}`,
  }),
  // A tool without `execute` ends the loop: its call is a question to the user.
  ask_user: tool({
    description: 'Asks the user for information that you need.',
    inputSchema: z.object({ question: z.string() }),
  }),
};

export default defineAgent({
  name: 'Weather with the AI SDK',
  description: 'Answers questions about the weather.',
  async *execute({ text, task, taskId, state, signal }) {
    const messages = (await state.task.get<ModelMessage[]>('messages')) ?? [];
    const toolCallId = await state.task.get<string>('asked');
    // A message to a task is the answer to the question that the model has asked.
    if (task && toolCallId) {
      const output = { type: 'text' as const, value: text };
      messages.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'ask_user', output }] });
    } else messages.push({ role: 'user', content: text });

    const result = streamText({ model, messages, tools, stopWhen: isStepCount(10), abortSignal: signal });
    let append = false;
    for await (const part of result.fullStream) {
      if (part.type === 'error') throw part.error;
      if (part.type !== 'text-delta') continue;
      yield artifact({ artifactId: `${taskId}-answer`, name: 'answer', content: part.text, append });
      append = true;
    }
    const question = (await result.toolCalls).find((call) => !call.dynamic && call.toolName === 'ask_user');
    if (!question) return;
    messages.push(...(await result.responseMessages));
    await state.task.set('messages', JSON.parse(JSON.stringify(messages)));
    await state.task.set('asked', question.toolCallId);
    yield ask((question.input as { question: string }).question);
  },
});
