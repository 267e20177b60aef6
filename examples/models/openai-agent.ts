import { artifact, ask, defineAgent } from 'a2a-gateway';
import OpenAI from 'openai';

const { MODEL_URL = 'http://localhost:11434/v1', MODEL = 'qwen3', MODEL_KEY = 'none' } = process.env;
const model = new OpenAI({ baseURL: MODEL_URL, apiKey: MODEL_KEY });

const tool = (name: string, description: string, parameter: string) => {
  const parameters = { type: 'object', properties: { [parameter]: { type: 'string' } }, required: [parameter] };
  return { type: 'function' as const, function: { name, description, parameters } };
};
const tools = [
  tool('get_weather', 'Returns the weather in a city.', 'city'),
  tool('ask_user', 'Asks the user for information that you need.', 'question'),
];

export default defineAgent({
  name: 'Weather with the OpenAI SDK',
  description: 'Answers questions about the weather.',
  async *execute({ text, task, taskId, state, signal }) {
    const messages = (await state.task.get<OpenAI.ChatCompletionMessageParam[]>('messages')) ?? [];
    const asked = await state.task.get<string>('asked');
    // A message to a task is the answer to the question that the model has asked.
    if (task && asked) messages.push({ role: 'tool', tool_call_id: asked, content: text });
    else messages.push({ role: 'user', content: text });

    for (let step = 0, append = false; step < 10; step += 1) {
      const stream = model.chat.completions.stream(
        { model: MODEL, messages, tools, parallel_tool_calls: false },
        { signal },
      );
      for await (const { choices } of stream) {
        const content = choices[0]?.delta.content;
        if (!content) continue;
        yield artifact({ artifactId: `${taskId}-answer`, name: 'answer', content, append });
        append = true;
      }
      const answer = await stream.finalMessage();
      messages.push(answer);
      const call = answer.tool_calls?.[0];
      if (call?.type !== 'function') return;
      const given = JSON.parse(call.function.arguments);
      if (call.function.name === 'ask_user') {
        await state.task.set('messages', JSON.parse(JSON.stringify(messages)));
        await state.task.set('asked', call.id);
        yield ask(given.question);
        return;
      }
      messages.push({ role: 'tool', tool_call_id: call.id, content: `18 °C and light rain in ${given.city}` });
    }
  },
});
