import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser, violationsOf } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';

const config = `
defaultAgent: facts
agents:
  facts:
    kind: reference
    knowledge:
      minCertainty: 0.3
      protected: { predicates: { "https://example.org/secret": { write: [] } } }
  empty: { kind: reference, knowledge: true }
  plain: { kind: reference }
`;

const ex = (name: string): string => `https://example.org/${name}`;
const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

type Patch = Record<string, unknown>;

const says = (subject: string, predicate: string, object: object, more: object = {}): Patch => ({
  op: 'add',
  statement: { subject: { id: subject }, predicate: { id: predicate }, object, ...more },
});

const people = ['ada', 'charles', 'grace', 'mary', 'augustus', 'anna'];

/** People, with their names and how they know each other. */
const facts: Patch[] = [
  ...people.flatMap((name) => [
    says(ex(name), type, { id: 'https://schema.org/Person' }),
    says(ex(name), 'https://schema.org/name', { value: name.charAt(0).toUpperCase() + name.slice(1) }),
  ]),
  ...(
    [
      ['ada', 'knows', 'charles', 0.95],
      ['ada', 'knows', 'mary', 0.9],
      ['mary', 'taught', 'ada', 0.8],
      ['augustus', 'taught', 'ada', 0.7],
      ['charles', 'designed', 'engine', 1],
      ['ada', 'wroteAbout', 'engine', 0.99],
      ['grace', 'knows', 'ada', 0.4],
      ['anna', 'knows', 'grace', 0.6],
    ] as const
  ).map(([from, predicate, to, certainty]) =>
    says(ex(from), ex(predicate), { id: ex(to) }, { certainty, provenance: { page: 12, book: 'Letters' } }),
  ),
  says(ex('engine'), type, { id: ex('Machine') }),
  says(ex('engine'), ex('year'), { value: 1837 }, { graph: ex('history') }),
];

describe.skipIf(noBrowser !== undefined)('the page of knowledge', () => {
  let opened: OpenedConsole;

  const update = async (mutations: Patch[], more: object = {}, agent = 'facts'): Promise<Record<string, unknown>> => {
    const response = await fetch(`${opened.gateway.url}/${agent}/knowledge:update`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mutations, ...more }),
    });
    return (await response.json()) as Record<string, unknown>;
  };

  beforeAll(async () => {
    opened = await openConsole({ config });
    expect(await update(facts, { sourceAgentId: 'librarian', justification: 'Letters and diaries' })).toMatchObject({
      success: true,
    });
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  const table = (name: string) => opened.page.getByRole('table', { name, exact: true });
  const row = (name: string, text: string | RegExp) => table(name).getByRole('row').filter({ hasText: text });

  test('the page of knowledge begins with an agent that has a graph, shows another one, and is reached from an agent', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge');
    const choice = page.getByRole('combobox', { name: 'Agent', exact: true });
    await choice.waitFor();
    expect(await choice.locator('option').allTextContents()).toEqual(expect.arrayContaining(['facts', 'empty']));
    await choice.selectOption('empty');
    await page.getByText('The graph is empty').waitFor();
    await goto('#/knowledge/plain');
    await page.getByText('This agent has no knowledge graph').waitFor();
    await goto('#/agents/empty');
    await page.getByRole('link', { name: 'Show the graph' }).click();
    await page.getByRole('heading', { name: 'Knowledge of empty' }).waitFor();
  });

  test('the page of knowledge shows statements with certainty and provenance, and filters them in the address', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge/facts');
    await page.getByText(`${facts.length} statements`).waitFor();
    const knows = row('Statements', 'charles').filter({ hasText: 'knows' });
    await expect
      .poll(() => knows.innerText())
      .toMatch(/ada[\s\S]*knows[\s\S]*charles[\s\S]*0\.95[\s\S]*librarian: Letters and diaries/);
    await knows.getByRole('button', { name: 'Show' }).click();
    const dialog = page.getByRole('dialog', { name: 'Statement' });
    await expect
      .poll(() => dialog.innerText())
      .toMatch(/https:\/\/example\.org\/knows[\s\S]*the default graph[\s\S]*book/);
    await page.keyboard.press('Escape');
    const filter = page.getByRole('search', { name: 'Filters of the statements' });
    await filter.getByLabel('Predicate').fill(ex('knows'));
    await page.getByText('4 statements').waitFor();
    await filter.getByLabel('Minimum certainty').fill('0.7');
    await page.getByText('2 statements').waitFor();
    expect(page.url()).toContain('minCertainty=0.7');
    await page.reload();
    await page.getByText('2 statements').waitFor();
    await filter.getByLabel('Minimum certainty').fill('high');
    await page.getByText('cannot represent non numeric value').waitFor();
    await filter.getByRole('button', { name: 'Remove filters' }).click();
    await page.getByText(`${facts.length} statements`).waitFor();
    await goto(`#/knowledge/facts?subject=${encodeURIComponent('urn:nothing')}`);
    await page.getByText('No statement matches the filter').waitFor();
  });

  test('the page of knowledge walks from one entity to its neighbours, which have their types, and back', async () => {
    const { page, goto } = opened;
    await goto(`#/knowledge/facts?subject=${encodeURIComponent(ex('ada'))}`);
    await page.getByText('5 statements').waitFor();
    await expect
      .poll(() => row('Statements', 'charles').innerText())
      .toMatch(/knows[\s\S]*charles\s+Person[\s\S]*0\.95/);
    await expect.poll(() => row('Statements', 'name').innerText()).toContain('Ada');
    await page.getByRole('link', { name: 'Statements that lead to it' }).click();
    await page.getByText('3 statements').waitFor();
    await row('Statements', 'grace').getByRole('link', { name: 'grace' }).focus();
    await page.keyboard.press('Enter');
    await row('Statements', /grace[\s\S]*ada/).waitFor();
    expect(page.url()).toContain(encodeURIComponent(ex('grace')));
    await page.goBack();
    await page.getByRole('link', { name: 'Statements about it' }).click();
    await row('Statements', 'charles').waitFor();
  });

  test('the page of knowledge reads long lists page by page, with a bounded number of rows in the page', async () => {
    const { page, goto } = opened;
    const many = Array.from({ length: 1_000 }, (_, i) => says(ex(`n${i}`), ex('number'), { value: i }));
    await update(many, {}, 'empty');
    await goto('#/knowledge/empty');
    await page.getByText('1,000 statements').waitFor();
    const box = page.getByRole('region', { name: 'Statements, table' });
    const rows = async (): Promise<number> => Number(await table('Statements').getAttribute('aria-rowcount'));
    expect(await rows()).toBe(201);
    await expect
      .poll(async () => {
        await box.hover();
        await page.mouse.wheel(0, 100_000);
        return rows();
      })
      .toBe(1_001);
    await row('Statements', 'n999').waitFor();
    expect(await table('Statements').getByRole('row').count()).toBeLessThan(60);
  });

  test('the page of knowledge shows the graph of a tenant', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge/facts');
    await page.getByLabel('Tenant').fill('acme');
    await page.getByRole('button', { name: 'Apply' }).first().click();
    await page.getByText('The graph is empty').waitFor();
    expect(page.url()).toContain('tenant=acme');
  });

  test('the page of knowledge leads to the bench for GraphQL', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge/facts');
    await page.getByRole('link', { name: 'GraphQL' }).click();
    await page.getByLabel('Query', { exact: true }).fill('{ statements { totalCount } }');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('region', { name: 'Answer', exact: true }).getByText('totalCount').first().waitFor();
  });

  test('the page of knowledge leads to the bench for a proposal, whose answer says what the rules say', async () => {
    const { page, goto, problems } = opened;
    problems.length = 0;
    await goto('#/knowledge/facts');
    await page.getByRole('link', { name: 'Propose changes' }).click();
    const frame = page.getByLabel(/^Request: first line/);
    await expect.poll(() => frame.inputValue()).toContain('knowledge/update');
    const [head] = (await frame.inputValue()).split('\n\n');
    const answer = page.getByRole('region', { name: 'Answer', exact: true });
    const propose = async (predicate: string, value: number, certainty: number): Promise<void> => {
      const params = { mutations: [says(ex('ada'), ex(predicate), { value }, { certainty })] };
      await frame.fill(`${head}\n\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'knowledge/update', params })}`);
      await page.getByRole('button', { name: 'Send', exact: true }).first().click();
    };
    await propose('height', 1.6, 0.9);
    await answer.getByText('Verified').first().waitFor();
    await propose('weight', 60, 0.1);
    await answer.getByText('Rejected - Constraint Violation').first().waitFor();
    await propose('secret', 1, 1);
    await answer
      .getByText(/secret/)
      .first()
      .waitFor();
    expect(problems).toEqual([]);
  });

  test('the page of knowledge leads to the bench for changes, which arrive as others make them', async () => {
    const { page, goto, problems } = opened;
    problems.length = 0;
    await goto('#/knowledge/facts');
    await page.getByRole('link', { name: 'Live changes' }).click();
    const frame = page.getByLabel(/^Request: first line/);
    await expect.poll(() => frame.inputValue()).toContain('knowledge/subscribe');
    const [head] = (await frame.inputValue()).split('\n\n');
    const params = { subscriptionQuery: JSON.stringify({ predicate: ex('born') }) };
    await frame.fill(`${head}\n\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'knowledge/subscribe', params })}`);
    await page.getByRole('button', { name: 'Send', exact: true }).first().click();
    const answer = page.getByRole('region', { name: 'Answer', exact: true });
    await answer.getByText('Streaming').waitFor();
    await update([says(ex('ada'), ex('born'), { value: 1815 }, { certainty: 0.5 })]);
    await answer.getByText('1815').first().waitFor();
    await answer.getByRole('button', { name: 'Stop' }).click();
    await answer.getByText('Stopped').waitFor();
    expect(problems).toEqual([]);
  });

  test('the page of knowledge lists what the rules refused', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge/facts?view=refused');
    await row('Refused updates', 'Forbidden').waitFor();
    const rejected = row('Refused updates', 'minCertainty');
    await expect.poll(() => rejected.innerText()).toMatch(/Rejected[\s\S]*admin-key/);
    await rejected.getByRole('button', { name: /proposed changes/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Refused update' });
    await dialog.getByText(ex('weight')).waitFor();
    await page.keyboard.press('Escape');
  });

  const shown = {
    statements: () => row('Statements', 'charles').first(),
    [`statements&subject=${encodeURIComponent(ex('ada'))}`]: () => row('Statements', 'charles'),
    refused: () => row('Refused updates', 'Forbidden'),
  };

  test.each(Object.entries(shown))('the view %s looks right at two widths, light and dark', async (view, place) => {
    const { page, goto, screenshot, problems } = opened;
    problems.length = 0;
    for (const [width, colorScheme] of [
      [360, 'dark'],
      [1280, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await goto(`#/knowledge/facts?view=${view}`);
      await place().waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await screenshot(`knowledge-${view.replace(/&.*/, '-one')}-${width}-${colorScheme}`);
    }
    expect(problems).toEqual([]);
  });
});
