import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser, openPage, violationsOf } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { openGateway } from '../../support/gateway.ts';

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

/** Who is who, and who knows whom. */
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

  test('begins with an agent that has a graph, and shows another one', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge');
    const choice = page.getByRole('combobox', { name: 'Agent', exact: true });
    await choice.waitFor();
    expect(await choice.locator('option').allTextContents()).toEqual(expect.arrayContaining(['facts', 'empty']));
    await choice.selectOption('empty');
    await page.getByText('The graph is empty').waitFor();
    await goto('#/knowledge/plain');
    await page.getByText('This agent has no knowledge graph').waitFor();
  });

  test('shows statements with certainty and provenance, and filters them in the address', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge/facts');
    await page.getByText(`${facts.length} statements`).waitFor();
    const knows = row('Statements', 'charles').filter({ hasText: 'knows' });
    expect(await knows.innerText()).toMatch(
      /ada[\s\S]*knows[\s\S]*charles[\s\S]*0\.95[\s\S]*librarian: Letters and diaries/,
    );
    await knows.getByRole('button', { name: 'Show' }).click();
    const dialog = page.getByRole('dialog', { name: 'Statement' });
    expect(await dialog.innerText()).toMatch(/https:\/\/example\.org\/knows[\s\S]*the default graph[\s\S]*book/);
    await page.keyboard.press('Escape');
    const filter = page.getByRole('form', { name: 'Filter of statements' });
    await filter.getByLabel('Predicate').fill(ex('knows'));
    await filter.getByLabel('Minimum certainty').fill('0.7');
    await filter.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('2 statements').waitFor();
    expect(page.url()).toContain('minCertainty=0.7');
    await page.reload();
    await page.getByText('2 statements').waitFor();
    await filter.getByRole('button', { name: 'Clear' }).click();
    await page.getByText(`${facts.length} statements`).waitFor();
    await goto(`#/knowledge/facts?subject=${encodeURIComponent('urn:nothing')}`);
    await page.getByText('No statement matches the filter').waitFor();
  });

  test('lists entities by type', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge/facts?view=entities');
    await page.getByText('9 entities').waitFor();
    await row('Entities', 'engine').getByRole('link', { name: 'Machine' }).click();
    await page.getByText('1 entity').waitFor();
  });

  test('walks from one entity to the next with the keyboard, in the picture and in lists', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge/facts?view=graph');
    await page.getByLabel('Start at the entity').fill(ex('ada'));
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const picture = page.getByRole('group', { name: /entities, \d+ relations/ });
    const node = (name: string | RegExp) => picture.getByRole('link', { name });
    await page.getByRole('button', { name: 'Fit the whole picture' }).click();
    await node(/^ada, Person, expanded/).focus();
    expect(await node(/^anna/).count()).toBe(0);
    // Grace is somewhere around Ada: arrow keys reach her.
    const active = () => page.evaluate<string>('document.activeElement.getAttribute("data-id")');
    const seen = new Set<string>();
    for (const key of [
      'ArrowRight',
      'ArrowDown',
      'ArrowLeft',
      'ArrowLeft',
      'ArrowUp',
      'ArrowUp',
      'ArrowRight',
      'ArrowRight',
    ]) {
      await page.keyboard.press(key);
      seen.add(await active());
    }
    expect(seen.size).toBeGreaterThan(3);
    await node(/^grace/).focus();
    await page.keyboard.press('Enter');
    await node(/^anna/).waitFor();
    await node(/^grace.*expanded/).waitFor();
    expect(page.url()).toContain(encodeURIComponent(ex('grace')));
    const entity = page.getByRole('region', { name: 'Entity' });
    await entity.getByRole('list', { name: 'Outgoing' }).getByRole('link', { name: 'ada' }).click();
    await entity.getByRole('heading', { name: 'ada' }).waitFor();
    expect(await entity.getByRole('list', { name: 'Incoming' }).getByRole('listitem').count()).toBe(3);
    expect(await entity.getByRole('list', { name: 'Values' }).innerText()).toMatch(/name\s*Ada/);
    await page.getByRole('link', { name: 'mary' }).first().click();
    await page.getByRole('button', { name: 'Remove from the picture' }).click();
    await expect.poll(() => node(/^mary/).count()).toBe(0);
    await page.getByRole('button', { name: 'Restart from here' }).click();
    await node(/^mary/).waitFor();
    expect(await node(/^anna/).count()).toBe(0);
    await goto(`#/knowledge/facts?view=graph&id=urn%3Anothing`);
    await page.getByText('The graph has no such entity').waitFor();
  });

  test('shows the latest changes, and those that others make', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge/facts?view=changes');
    await page.getByText('Live', { exact: true }).waitFor();
    await row('Changes', 'engine').first().waitFor();
    await update([says(ex('ada'), ex('born'), { value: 1815 }, { certainty: 0.5 })], { justification: 'The register' });
    const change = row('Changes', 'born');
    await change.waitFor();
    expect(await change.innerText()).toMatch(/Add[\s\S]*ada[\s\S]*1815[\s\S]*0\.5[\s\S]*The register/);
    await update([{ ...says(ex('ada'), ex('born'), { value: 1816 }), op: 'replace' }]);
    await row('Changes', '1816').waitFor();
    expect(await table('Changes').getByRole('row').nth(1).innerText()).toContain('Replace');
    const filter = page.getByRole('form', { name: 'Filter of changes' });
    await filter.getByLabel('Predicate').fill(ex('born'));
    await filter.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => table('Changes').getByRole('row').count()).toBe(3);
  });

  test('follows changes across a restart of the gateway: nothing is missed, and nothing comes twice', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'console-knowledge-'));
    const settings = `store: "sqlite:${join(folder, 'gateway.db')}"\nagents: { facts: { kind: reference, knowledge: true } }\n`;
    const start = (port: number) => openGateway(`listen: { host: localhost, port: ${port} }\n${settings}`);
    let gateway = await start(0);
    const note = async (value: string): Promise<void> => {
      const body = JSON.stringify({ mutations: [says(ex('log'), ex('entry'), { value })] });
      const headers = { 'content-type': 'application/json' };
      await (await fetch(`${gateway.url}/facts/knowledge:update`, { method: 'POST', headers, body })).text();
    };
    try {
      await using watched = await openPage(opened.browser, gateway.url);
      const { page } = watched;
      await page.goto(`${gateway.url}/console/#/knowledge/facts?view=changes`);
      await page.getByText('Live', { exact: true }).waitFor();
      await note('first');
      const rows = page.getByRole('table', { name: 'Changes' }).getByRole('row');
      await rows.filter({ hasText: 'first' }).waitFor();
      await gateway.close();
      // At the list, and at the top of the page.
      await page.getByText('Connection lost. Trying again…').nth(1).waitFor();
      gateway = await start(gateway.port);
      await note('second');
      await rows.filter({ hasText: 'second' }).waitFor();
      await note('third');
      await rows.filter({ hasText: 'third' }).waitFor();
      const shown = await rows.allInnerTexts();
      expect(shown.slice(1).map((text) => /first|second|third/.exec(text)?.[0])).toEqual(['third', 'second', 'first']);
      await page.getByText('Connection lost').waitFor({ state: 'detached' });
    } finally {
      await gateway.close();
    }
  });

  test('reads long lists page by page, with a bounded number of rows in the page', async () => {
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

  test('shows the graph of a tenant', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge/facts');
    await page.getByLabel('Tenant').fill('acme');
    await page.getByRole('button', { name: 'Apply' }).first().click();
    await page.getByText('The graph is empty').waitFor();
    expect(page.url()).toContain('tenant=acme');
  });

  test('leads to the bench for GraphQL', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge/facts');
    await page.getByRole('link', { name: 'GraphQL' }).click();
    await page.getByLabel('Query', { exact: true }).fill('{ statements { totalCount } }');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('region', { name: 'Answer', exact: true }).getByText('totalCount').first().waitFor();
  });

  test('proposes changes, and says what the rules say', async () => {
    const { page, goto, problems } = opened;
    await goto('#/knowledge/facts?view=propose');
    const form = page.getByRole('form', { name: 'Proposal' });
    const fill = async (predicate: string, value: string, certainty: string): Promise<void> => {
      await form.getByLabel('Subject', { exact: true }).fill(ex('ada'));
      await form.getByLabel('Predicate').fill(predicate);
      await form.getByLabel('Kind of object').selectOption('number');
      await form.getByLabel('Value').fill(value);
      await form.getByLabel('Certainty').fill(certainty);
    };
    await form.getByRole('button', { name: 'Propose' }).click();
    await form.getByText('Enter the id of the subject.').waitFor();
    await fill(ex('height'), '1.6', '0.9');
    await form.getByLabel('Justification').fill('A portrait');
    await form.getByRole('button', { name: 'Propose' }).click();
    await form.getByText('Verified', { exact: true }).waitFor();
    await fill(ex('weight'), '60', '0.1');
    await form.getByRole('button', { name: 'Propose' }).click();
    await form.getByText('Rejected - Constraint Violation').waitFor();
    expect(await form.getByRole('alert').innerText()).toContain('minCertainty');
    await fill(ex('secret'), '1', '1');
    await form.getByRole('button', { name: 'Propose' }).click();
    await form.getByText('Forbidden.').waitFor();
    expect(problems.filter((problem) => !problem.includes('422'))).toEqual([]);
    problems.length = 0;
  });

  test('lists what the rules refused', async () => {
    const { page, goto } = opened;
    await goto('#/knowledge/facts?view=refused');
    await row('Refused updates', 'Forbidden').waitFor();
    const rejected = row('Refused updates', 'minCertainty');
    expect(await rejected.innerText()).toMatch(/Rejected[\s\S]*admin-key/);
    await rejected.getByRole('button', { name: /proposed changes/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Refused update' });
    await dialog.getByText(ex('weight')).waitFor();
    await page.keyboard.press('Escape');
  });

  test('looks right at two widths, light and dark', async () => {
    const { page, goto, screenshot, problems } = opened;
    const shown = {
      statements: () => row('Statements', 'charles').first(),
      entities: () => row('Entities', 'engine'),
      graph: () => page.getByRole('region', { name: 'Entity' }),
      changes: () => row('Changes', '1816').first(),
      propose: () => page.getByRole('button', { name: 'Propose' }),
      refused: () => row('Refused updates', 'Forbidden'),
    };
    problems.length = 0;
    for (const [view, place] of Object.entries(shown)) {
      for (const [width, colorScheme] of [
        [360, 'dark'],
        [1280, 'light'],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await goto(`#/knowledge/facts?view=${view}${view === 'graph' ? `&id=${encodeURIComponent(ex('ada'))}` : ''}`);
        await place().waitFor();
        expect(await violationsOf(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        await screenshot(`knowledge-${view}-${width}-${colorScheme}`);
      }
    }
    expect(problems).toEqual([]);
  });
});
