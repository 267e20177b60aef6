import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Running, startGateway } from '../../support/gateway.ts';
import { modernTools, toolsAt } from './client.ts';

/** The official clients of both eras at the gateway: the reference agent and others as tools. */

let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway({
    settings: `
  slow-talker: { kind: module, path: ../extensions/mcp/agents/slow-talker.ts }
  quiet: { kind: module, path: ../extensions/mcp/agents/quiet-agent.ts }
`,
  });
});

const general = ['send_message', 'get_task', 'cancel_task', 'list_tasks'];

describe.each([
  ['/mcp', '2025-11-25', { agent: 'demo' }, 'demo__echo', toolsAt],
  ['/mcp', '2026-07-28', { agent: 'demo' }, 'demo__echo', modernTools],
  ['/demo/mcp', '2025-11-25', {}, 'echo', toolsAt],
  ['/demo/mcp', '2026-07-28', {}, 'echo', modernTools],
] as const)('at %s, a client of %s', (path, era, which, skill, open) => {
  const tools = () => open(gateway.origin + path);
  const send = async (message: string, more: object = {}) =>
    (await tools()).call('send_message', { ...which, message, ...more });

  it(`at ${path}, a client of ${era} offers the general tools and one for each skill`, async () => {
    const { names, client } = await tools();
    const offered = await names();
    expect(offered.slice(0, 4)).toEqual(general);
    expect(offered).toContain(skill);
    const extensions = era === '2026-07-28' && { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, ...extensions });
    expect(client.getInstructions()).toContain('get_task');
    for (const name of offered) expect(name).toMatch(/^[\w-]{1,64}$/);
  });

  it(`at ${path}, a client of ${era} calls a skill`, async () => {
    const { call } = await tools();
    const { structured, text } = await call(skill, { message: 'good day' });
    expect(structured).toMatchObject({ state: 'completed', agent: 'demo', text: 'good day' });
    expect(structured.task_id).toBeTypeOf('string');
    expect(text).toContain('good day');
    expect(text).toContain(`task_id: ${structured.task_id}`);
  });

  it(`at ${path}, a client of ${era} answers with a direct message`, async () => {
    const { structured } = await send('say good day');
    expect(structured).toMatchObject({ state: 'completed', text: 'good day' });
    expect(structured.task_id).toBeUndefined();
  });

  it(`at ${path}, a client of ${era} reports progress while it waits`, async () => {
    const { structured, progress } = await send('stream 20 20');
    expect(structured.text).toMatch(/^chunk 1\nchunk 2\n(?:.*\n)*chunk 20$/);
    expect(progress.length).toBeGreaterThan(2);
    expect(progress.map((one) => one.progress)).toEqual(progress.map((_, index) => index + 1));
    expect(progress.map(({ message }) => message).join('\n')).toContain('chunk 7');
  });

  it(`at ${path}, a client of ${era} keeps the stream of a call alive by comment lines, which are no events`, async () => {
    // With timers of its own: those of a former test are gone.
    const { origin } = await startGateway();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
    let bytes = '';
    const { call } = await open(origin + path, {
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        if (answer.headers.get('content-type') !== 'text/event-stream' || init?.method !== 'POST') return answer;
        const watched = new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            bytes += Buffer.from(chunk).toString();
            controller.enqueue(chunk);
          },
        });
        return new Response(answer.body?.pipeThrough(watched), answer);
      },
    });
    // It asks for no progress, which would come more often.
    const answered = call('send_message', { ...which, message: 'wait' }, { onprogress: undefined });
    const { call: beside } = await open(origin + path);
    while (!bytes.endsWith(':\n')) {
      vi.advanceTimersByTime(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { structured } = await beside('list_tasks', { ...which, state: 'working', page_size: 1 });
    const [{ task_id }] = structured.tasks as [{ task_id: string }];
    await beside('cancel_task', { ...which, task_id });
    expect((await answered).structured).toMatchObject({ state: 'canceled', task_id });
    expect(bytes).toMatch(/^(?::\n|event: message\ndata: .*\n\n)+$/);
  });

  it(`at ${path}, a client of ${era} continues a task that requires input`, async () => {
    const question = await send('ask');
    expect(question.structured).toMatchObject({ state: 'input-required', text: 'What is your name?' });
    expect(question.text).toContain('call send_message with');
    expect(question.text).toContain(`task_id "${question.structured.task_id}"`);
    const { structured } = await send('Ada', { task_id: question.structured.task_id });
    expect(structured).toMatchObject({ state: 'completed', task_id: question.structured.task_id, text: 'Hello, Ada' });
  });

  it(`at ${path}, a client of ${era} continues a conversation`, async () => {
    const { structured } = await send('hello');
    const again = await send('hello again', { context_id: structured.context_id });
    expect(again.structured.context_id).toBe(structured.context_id);
    expect(again.structured.task_id).not.toBe(structured.task_id);
  });

  it(`at ${path}, a client of ${era} says who has to authorize`, async () => {
    const { structured, text, result } = await send('auth');
    expect(structured).toMatchObject({ state: 'auth-required', text: 'Please authorize.' });
    expect(text).toContain('After that, call get_task with');
    expect(result.isError).toBeUndefined();
  });

  it.each([
    ['fail', 'failed', 'Failed, as asked.'],
    ['reject', 'rejected', 'Rejected, as asked.'],
  ])('%s is an error in words', async (message, state, words) => {
    const { result, structured, text } = await send(message);
    expect(result.isError).toBe(true);
    expect(structured).toMatchObject({ state, text: words });
    expect(text).toContain(words);
  });

  it(`at ${path}, a client of ${era} answers work that outlives the call with the task, which a later call finds`, async () => {
    const { call } = await tools();
    const { structured, text } = await send('stream 20 75', { wait_seconds: 0.1 });
    expect(structured).toMatchObject({ state: 'working' });
    expect(text).toContain('still working');
    const id = { ...which, task_id: structured.task_id };
    expect((await call('get_task', id)).structured.state).toBe('working');
    const done = await call('get_task', { ...id, wait_seconds: 10 });
    expect(done.structured).toMatchObject({ state: 'completed', text: expect.stringMatching(/chunk 20$/) });
  });

  it(`at ${path}, a client of ${era} cancels`, async () => {
    const { call } = await tools();
    const { structured } = await send('wait', { wait_seconds: 0 });
    const id = { ...which, task_id: structured.task_id };
    const canceled = await call('cancel_task', id);
    expect(canceled.structured.state).toBe('canceled');
    expect(canceled.result.isError).toBeUndefined();
    const again = await call('cancel_task', id);
    expect(again.result.isError).toBe(true);
    expect(again.text).toMatch(/over/);
  });

  it(`at ${path}, a client of ${era} lists tasks`, async () => {
    const { call } = await tools();
    const { structured } = await send('fail');
    const listed = await call('list_tasks', { ...which, state: 'failed', page_size: 1 });
    expect(listed.structured).toMatchObject({
      tasks: [{ task_id: structured.task_id, state: 'failed', text: 'Failed, as asked.' }],
    });
    expect(JSON.parse(listed.text)).toMatchObject({ tasks: [{ task_id: structured.task_id }] });
  });
});
