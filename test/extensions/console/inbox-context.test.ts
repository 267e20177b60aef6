import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Task } from '../../../src/core/model/a2a.ts';
import { artifact, ask, defineAgent, isWaiting, passedOn, passOn } from '../../../src/index.ts';
import { callsOf } from '../../support/admin.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { expectAccessible, sendText, soon } from '../../support/console-tasks.ts';
import { openGateway } from '../../support/gateway.ts';

const config = `
console: { traces: 'https://traces.example/{traceId}' }
agents:
  demo: { kind: reference }
  other: { kind: reference }
`;

const limits = (gateway: string): string =>
  `limits: { root: { gateway: ${gateway}, keys: ["a key that both gateways have, and nobody else"] } }\n`;

const schema = {
  type: 'object',
  properties: { seats: { type: 'integer', minimum: 1, title: 'Seats' }, window: { type: 'boolean' } },
  required: ['seats'],
};

/** Asks with a JSON Schema. */
const booking = defineAgent({ name: 'Booking', description: 'Books seats' }, ({ answer }) =>
  answer ? artifact({ content: JSON.stringify(answer) }) : ask('How many seats?', { schema }),
);

/** Asks another agent, and passes its question on. */
const callerOf = (name: string) =>
  defineAgent({ name: `Asks ${name}`, description: 'Asks another agent' }, async ({ agent, task, message }) => {
    const from = passedOn(task);
    const answer = await agent(name).send(message, from && { taskId: from.taskId });
    return isWaiting(answer) ? passOn(answer) : artifact({ content: answer.text });
  });
/** Asks two questions, one after the other. */
const sequel = defineAgent({ name: 'Sequel', description: 'Asks twice' }, ({ text }) => {
  if (text === 'book') return ask('Which city?');
  return text === 'Paris' ? ask('Delete the account?') : artifact({ content: text });
});
const callers = { planner: callerOf('assistant'), assistant: callerOf('booking') };

describe.skipIf(noBrowser !== undefined)('the Inbox, conversations and trees of calls', () => {
  let opened: OpenedConsole;

  beforeAll(async () => {
    opened = await openConsole({ config, agents: { booking, sequel, ...callers } });
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  beforeEach(() => {
    opened.problems.length = 0;
  });

  const send = (text: string, more = {}) => sendText(opened.gateway.url, text, more);

  test('tasks that wait appear live, are answered in place, and are counted', async () => {
    const { page, goto, problems } = opened;
    await goto('#/inbox');
    await page.getByText('Nothing waits').waitFor();
    const question = await send('ask');
    const item = page.getByRole('article', { name: 'Task of demo' });
    await item.getByText('What is your name?').waitFor();
    await send('auth', { agent: 'other' });
    const other = page.getByRole('article', { name: 'Task of other' });
    await other.getByText('Auth required').waitFor();
    await page.getByText('2 tasks wait.').waitFor();
    const navigation = page.getByRole('navigation').getByRole('link', { name: /^Inbox/ });
    await expect.poll(() => navigation.innerText(), soon).toContain('2');
    await expectAccessible(opened, 'inbox-two');

    await item.getByLabel('Answer').fill('Ada');
    await item.getByLabel('Answer').press('Control+Enter');
    await page.getByText('1 task waits. Answered:').waitFor();
    await item.waitFor({ state: 'detached' });
    await expect.poll(() => navigation.innerText(), soon).toContain('1');
    await page.getByRole('link', { name: 'the task of demo' }).click();
    await page.getByText('Hello, Ada').first().waitFor();
    expect(page.url()).toContain(question.id);
    expect(problems).toEqual([]);
  });

  test('data that is not JSON is not sent, and a task answered elsewhere leaves when its begun answer is removed', async () => {
    const { page, goto, problems } = opened;
    const { id } = await send('ask');
    await goto('#/inbox?agent=demo');
    const item = page.getByRole('article', { name: 'Task of demo' });
    await item.getByLabel('Send as JSON data').check();
    await item.getByLabel('Answer').fill('{"name": ');
    await item.getByText(/Expected|Unexpected/).waitFor();
    expect(await item.getByRole('button', { name: 'Send answer' }).isDisabled()).toBe(true);
    // Another client answers.
    await send('Ada', { taskId: id });
    await page.getByText('This task waits no longer for this answer.').waitFor();
    expect(await item.getByLabel('Answer').inputValue()).toBe('{"name": ');
    await item.getByLabel('Answer').fill('');
    await item.waitFor({ state: 'detached' });
    await page.getByText('Nothing waits').waitFor();
    expect(problems).toEqual([]);
  });

  test('an answer that was begun stays, and never reaches the next question of its task', async () => {
    const { page, goto } = opened;
    const { id } = await send('book', { agent: 'sequel' });
    await goto('#/inbox?agent=sequel');
    const items = page.getByRole('article', { name: 'Task of sequel' });
    const first = items.filter({ hasText: 'Which city?' });
    await first.getByLabel('Answer').fill('yes');
    // Another client answers, and the agent asks again.
    await send('Paris', { agent: 'sequel', taskId: id });
    const second = items.filter({ hasText: 'Delete the account?' });
    await second.waitFor();
    await page.getByText('This task waits no longer for this answer.').waitFor();
    await first.getByRole('button', { name: 'Send answer' }).click();
    await first.getByRole('alert').waitFor();
    await second.getByLabel('Answer').fill('no');
    await second.getByRole('button', { name: 'Send answer' }).click();
    await second.waitFor({ state: 'detached' });
    // An answer that was refused is still there to be copied.
    expect(await first.getByLabel('Answer').inputValue()).toBe('yes');
    const { history } = await callsOf(`${opened.gateway.url}/sequel`, {}).get<Task>(`/tasks/${id}`);
    const said = history?.flatMap(({ role, parts }) => (role === 'ROLE_USER' ? parts.map(({ text }) => text) : []));
    expect(said).toEqual(['book', 'Paris', 'no']);
  });

  test('a question with a JSON Schema has a field for each property, and what is wrong is said of it', async () => {
    const { page, goto, problems } = opened;
    await goto('#/inbox?agent=booking');
    const { id } = await send('book', { agent: 'booking' });
    const item = page.getByRole('article', { name: 'Task of booking' });
    await item.getByLabel('Seats').fill('0');
    await item.getByLabel('window (optional)').selectOption('yes');
    await item.getByRole('button', { name: 'Send answer' }).click();
    await item
      .getByText(/answer\.seats/)
      .first()
      .waitFor();
    await item.getByLabel('Seats').fill('2');
    await expectAccessible(opened, 'inbox-schema');
    await item.getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('link', { name: 'the task of booking' }).click();
    await page.waitForURL((url) => url.href.includes(id));
    await page
      .getByText(/"value":{"seats":2,"window":true}/)
      .first()
      .waitFor();
    expect(problems.filter((problem) => !/400/.test(problem))).toEqual([]);
  });

  test('a conversation opens its tasks, of all agents, and grows', async () => {
    const { page, goto, problems } = opened;
    const { id, contextId } = await send('stream 3 0');
    await send('hello', { contextId, agent: 'other' });
    await goto('#/tasks?view=conversations');
    await page.getByRole('link', { name: contextId.slice(-8) }).click();
    const rows = page.getByRole('table', { name: 'Tasks' }).getByRole('row');
    // Under a pointer, rows keep their places.
    await page.mouse.move(0, 0);
    await page.getByText('2 tasks', { exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await send('ask', { contextId, referenceTaskIds: [id] });
    await rows.filter({ hasText: 'What is your name?' }).waitFor();
    await page.getByText('3 tasks', { exact: true }).waitFor();
    // A number of conversations opens the tasks that it counts.
    await goto('#/tasks?view=conversations&state=completed');
    const row = page.getByRole('row').filter({ hasText: contextId.slice(-8) });
    expect((await row.innerText()).split(/\s+/)).toContain('2');
    await row.getByRole('link').first().click();
    await page.getByText('2 tasks', { exact: true }).waitFor();
    await rows.getByRole('link', { name: id.slice(-8) }).click();
    await page.getByRole('region', { name: 'Content of the task' }).waitFor();
    expect(page.url()).toContain(id);
    expect(problems).toEqual([]);
  });

  test('a task shows which agents led to it and which were called for it, as it goes on', async () => {
    const { page, goto, problems } = opened;
    const { id } = await send('book', { agent: 'planner' });
    await goto(`#/tasks/${id}`);
    const calls = page.getByRole('table', { name: 'Calls of agents' });
    const lines = async (): Promise<string[]> =>
      (await calls.getByRole('row').allInnerTexts()).slice(1).map((text) => text.replaceAll(/\s+/g, ' '));
    const asks = ['planner', 'assistant', 'booking'].map(
      (name) => new RegExp(`^${name} .* book Input required How many seats\\? Answer `),
    );
    await expect.poll(lines, soon).toEqual(asks.map((line) => expect.stringMatching(line)));
    await expect.poll(() => calls.locator('[aria-current=true]').innerText()).toMatch('planner');
    await expectAccessible(opened, 'task-calls');
    await calls.getByRole('link', { name: 'booking' }).click();
    await expect.poll(async () => calls.locator('[aria-current=true]').innerText(), soon).toMatch('booking');
    expect(await lines()).toEqual(asks.map((line) => expect.stringMatching(line)));

    await send('2', { agent: 'planner', taskId: id });
    await expect.poll(lines, soon).toEqual(asks.map(() => expect.stringMatching(/Completed/)));
    const levels = calls.locator('.tree-task');
    const indents = await levels.evaluateAll((all) => all.map((one) => one.style.getPropertyValue('--level')));
    expect(indents).toEqual(['0', '1', '2']);
    expect(problems).toEqual([]);
  });

  test('a task shows what was called for it at other gateways, and what is not known of them', async () => {
    const far = await openGateway(`${limits('far')}agents: { demo: { kind: reference } }`);
    const settings = `{ kind: upstream, url: "${far.url}", path: true }`;
    const near = await openGateway(`${limits('near')}agents: { bridge: ${settings} }`);
    const { id } = await sendText(near.url, 'hello', { agent: 'bridge' });
    await using other = await openConsole({ at: near.url });
    await other.goto(`#/tasks/${id}`);
    const calls = other.page.getByRole('table', { name: 'Calls of agents' });
    const below = calls.getByRole('row').filter({ hasText: 'demo at far' });
    await below.getByText('Completed').waitFor();
    expect(await below.getByRole('link').count()).toBe(0);
    await far.close();
    await other.page.reload();
    await other.page.getByText('What bridge at near led to: cannot reach').waitFor();
    expect(other.problems).toEqual([]);
  });

  test('what a task led to at another gateway is stopped from its page, also once it is over', async () => {
    const boss = defineAgent({
      name: 'Boss',
      description: 'Has another agent ask',
      async *execute({ agent }) {
        await agent('demo').send('ask');
        yield artifact({ content: 'done' });
      },
    });
    const far = await openGateway(`${limits('far')}agents: { demo: { kind: reference } }`, { agents: { boss } });
    const settings = `{ kind: upstream, url: "${far.url}/boss", path: true }`;
    const near = await openGateway(`${limits('near')}agents: { bridge: ${settings} }`);
    const { id } = await sendText(near.url, 'go', { agent: 'bridge' });
    await using other = await openConsole({ at: near.url });
    const { page } = other;
    const press = (name: string) => page.getByRole('button', { name }).click();
    const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name }).click();
    await other.goto(`#/tasks/${id}`);
    const below = page.getByRole('row').filter({ hasText: 'demo at far' });
    await below.getByText('Input required').waitFor();
    await press('Stop tree');
    await page.getByLabel('Reason').fill('enough');
    await confirm('Stop tree');
    await below.getByText('Canceled').waitFor();
    await far.close();
    await press('Undo the stop');
    await confirm('Undo the stop');
    await page.getByText('Other gateways were not reached: What bridge at near led to: cannot reach').waitFor();
    expect(other.problems).toEqual([]);
  });

  test('traces are linked where the configuration says where they are', async () => {
    const { page, goto, gateway } = opened;
    const traceId = 'c0ffee00c0ffee00c0ffee00c0ffee00';
    const response = await fetch(`${gateway.url}/demo/message:send`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'A2A-Version': '1.0',
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'wait' }] },
        configuration: { returnImmediately: true },
      }),
    });
    const { task } = (await response.json()) as { task: { id: string } };
    await goto(`#/tasks/${task.id}`);
    const link = page.getByRole('link', { name: traceId });
    expect(await link.getAttribute('href')).toBe(`https://traces.example/${traceId}`);
  });
});
