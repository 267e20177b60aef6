import { AIMessageChunk } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command, END, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { artifact, ask, defineAgent } from 'a2a-gateway';
import { z } from 'zod';

const { MODEL_URL = 'http://localhost:11434/v1', MODEL = 'qwen3', MODEL_KEY = 'none' } = process.env;

const weather = tool(async ({ city }) => `18 °C and light rain in ${city}`, {
  name: 'get_weather',
  description: 'Returns the weather in a city.',
  schema: z.object({ city: z.string() }),
});
// `interrupt` stops the graph; the tool returns the user's answer when the graph is resumed.
const question = tool(async ({ question }) => interrupt<string, string>(question), {
  name: 'ask_user',
  description: 'Asks the user for information that you need.',
  schema: z.object({ question: z.string() }),
});

const tools = [weather, question];
const chat = new ChatOpenAI({ model: MODEL, apiKey: MODEL_KEY, configuration: { baseURL: MODEL_URL } });
const model = chat.bindTools(tools, { parallel_tool_calls: false });
const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode('tools', new ToolNode(tools))
  .addEdge(START, 'model')
  .addConditionalEdges('model', toolsCondition, ['tools', END])
  .addEdge('tools', 'model')
  .compile({ checkpointer: new MemorySaver() });

export default defineAgent({
  name: 'Weather with LangGraph',
  description: 'Answers questions about the weather.',
  async *execute({ text, task, taskId, signal }) {
    const input = task
      ? new Command<string, Record<string, unknown>, never>({ resume: text })
      : { messages: [{ role: 'user', content: text }] };
    const options = { configurable: { thread_id: taskId }, recursionLimit: 20, signal };
    let append = false;
    for await (const [message] of await graph.stream(input, { ...options, streamMode: 'messages' })) {
      if (!(message instanceof AIMessageChunk) || !message.text) continue;
      yield artifact({ artifactId: `${taskId}-answer`, name: 'answer', content: message.text, append });
      append = true;
    }
    const { tasks } = await graph.getState({ configurable: { thread_id: taskId } });
    const asked = tasks[0]?.interrupts[0];
    if (asked) yield ask(String(asked.value));
  },
});
