import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

// GitHub's parser imports JSON without saying so, which Node refuses.
const json = { type: 'json' };
const hooks = registerHooks({
  load: (url, context, next) => next(url, url.endsWith('.json') ? { ...context, importAttributes: json } : context),
});
const { NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser');
hooks.deregister();

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const manifest = JSON.parse(read('package.json'));

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string | { readonly name: string };
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const errorsOf = (content: string): string[] =>
  parseWorkflow({ name: 'workflow.yml', content }, new NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({ message }) => message);

/** Write permissions that each job may have. All its other permissions are for reading. */
const writes: Readonly<Record<string, readonly string[]>> = {
  'release npm': ['id-token'],
  'release attest': ['attestations', 'id-token'],
  'release image': ['attestations', 'id-token', 'packages'],
  'release release': ['contents'],
  'docs deploy': ['id-token', 'pages'],
  'security codeql': ['security-events'],
};

const names = readdirSync(new URL('.github/workflows', root)).map((file) => file.replace(/\.yml$/, ''));

it('there are workflows', () => {
  expect(names.sort()).toEqual(['conformance', 'docs', 'ecosystem', 'release', 'security', 'test']);
});

it("GitHub's parser finds errors", () => {
  const workflow = 'on: push\njobs: { a: { runs-on: ubuntu-latest, steps: [{ run: echo }] } }\n';
  expect(errorsOf(workflow)).toEqual([]);
  expect(errorsOf(workflow.replace('runs-on', 'run-on'))).not.toEqual([]);
  expect(errorsOf(workflow.replace('echo', 'echo $' + '{{ nothing.here }}'))).not.toEqual([]);
});

describe.each(names)('%s.yml', (name) => {
  const text = read(`.github/workflows/${name}.yml`);
  const workflow: Workflow = parse(text);
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps);

  it(`${name}.yml is valid for GitHub's parser`, () => {
    expect(errorsOf(text)).toEqual([]);
  });

  it(`${name}.yml does not run what pull requests of strangers bring with the rights of the repository`, () => {
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
    expect(Object.keys(workflow.on)).not.toContain('workflow_run');
  });

  it(`${name}.yml has the permissions that it needs, and no others`, () => {
    expect(Object.values(workflow.permissions ?? { missing: 'write' })).not.toContain('write');
    for (const [id, { permissions = {} }] of jobs) {
      const written = Object.entries(permissions).filter(([, level]) => level === 'write');
      expect(written.map(([scope]) => scope).sort(), id).toEqual(writes[`${name} ${id}`] ?? []);
    }
  });

  it(`${name}.yml uses actions by the hash of a version, and leaves no token in the checkout`, () => {
    for (const line of text.split('\n').filter((each) => each.includes('uses:'))) {
      expect(line).toMatch(/uses: [\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))) {
      expect(step.with).toMatchObject({ 'persist-credentials': false });
    }
  });

  it(`${name}.yml runs scripts that exist, into which nothing is pasted`, () => {
    for (const { run = '' } of steps) {
      expect(run).not.toContain('$' + '{{');
      for (const [, script = ''] of run.matchAll(/npm run ([\w:-]+)/g)) expect(manifest.scripts).toHaveProperty(script);
      for (const [file] of run.matchAll(/(?<=\s)\.?[\w/.-]+\.(?:ts|cjs)\b/g))
        expect(existsSync(new URL(file, root))).toBe(true);
    }
  });

  it(`${name}.yml ends when it hangs`, () => {
    for (const [, job] of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(120);
  });
});

it('an action has the same version wherever it is used', () => {
  const uses = names.flatMap((name) => read(`.github/workflows/${name}.yml`).match(/(?<=uses: ).+/g) ?? []);
  const versions = new Map(uses.map((line) => [line.split('@')[0], line.split('@')[1]]));
  expect(new Set(uses).size).toBe(versions.size);
});

it('tests run on the systems and versions that are supported', () => {
  const { matrix } = parse(read('.github/workflows/test.yml')).jobs.test.strategy;
  expect(matrix.os).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest']);
  expect(matrix.node).toEqual(['22', '24']);
  const [oldest] = matrix.include.map(({ node }: { node: string }) => node);
  expect(manifest.engines.node).toBe(`>=${oldest.replace(/\.0$/, '')}`);
  expect(read('docs/reference/versions.md').replace(/\s+/g, ' ')).toContain('today 22 (from 22.19 on) and 24');
});

it('a release is published from the environment, and by the workflow, that RELEASING.md has npm trust', () => {
  const { jobs }: Workflow = parse(read('.github/workflows/release.yml'));
  const publishing = Object.values(jobs).filter(({ steps }) => steps.some(({ run }) => run?.includes('npm publish')));
  expect(publishing.map(({ environment }) => environment)).toEqual(['npm']);
  expect(read('RELEASING.md')).toContain('`release.yml`, environment `npm`');
  const rows = read('RELEASING.md')
    .split('## What users')[0]
    ?.match(/(?<=^\| `)[a-z]+(?=` \|)/gm);
  expect(rows).toEqual(expect.arrayContaining(Object.keys(jobs)));
});

describe('issue forms', () => {
  interface Field {
    readonly type: string;
    readonly id?: string;
    readonly attributes: { readonly label?: string; readonly value?: string; readonly options?: readonly string[] };
  }
  const forms = readdirSync(new URL('.github/ISSUE_TEMPLATE', root)).filter((file) => file !== 'config.yml');

  it.each(forms)('the issue form %s has fields that GitHub shows', (file) => {
    const { name, description, labels, body } = parse(read(`.github/ISSUE_TEMPLATE/${file}`));
    expect([typeof name, typeof description, Array.isArray(labels)]).toEqual(['string', 'string', true]);
    const fields: Field[] = body;
    const ids = fields.filter(({ type }) => type !== 'markdown').map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, id, attributes } of fields) {
      expect(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes']).toContain(type);
      if (type === 'markdown') expect(attributes.value).toBeTypeOf('string');
      else expect([id, attributes.label]).toEqual([expect.stringMatching(/^[\w-]+$/), expect.any(String)]);
      if (type === 'dropdown') expect(new Set(attributes.options).size).toBe(attributes.options?.length);
    }
  });

  it('issue forms ask for versions of A2A and bindings that exist', () => {
    const { body } = parse(read('.github/ISSUE_TEMPLATE/interop.yml'));
    const options = (id: string): string[] => body.find((field: Field) => field.id === id).attributes.options;
    expect(options('version-of-a2a')).toHaveLength(
      readdirSync(new URL('docs/dialects', root)).filter((file) => /^(a2a|agentvault)-/.test(file)).length + 1,
    );
    expect(options('binding')).toContain('gRPC-Web');
  });
});

it('all addresses of the project are those of package.json', () => {
  const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '');
  expect(manifest.bugs.url).toBe(`${repository}/issues`);
  const files = [
    ...['CHANGELOG.md', 'SECURITY.md', 'Dockerfile', 'RELEASING.md'],
    ...readdirSync(new URL('.github/ISSUE_TEMPLATE', root)).map((file) => `.github/ISSUE_TEMPLATE/${file}`),
  ];
  for (const file of files) {
    for (const [url] of read(file).matchAll(/https:\/\/github\.com\/a2a-gateway[^\s)"`]*/g)) {
      expect(url.startsWith(`${repository}`), `${file}: ${url}`).toBe(true);
    }
    for (const [url] of read(file).matchAll(/https:\/\/[\w-]+\.github\.io[^\s)"]*/g)) {
      expect(url.startsWith(manifest.homepage), `${file}: ${url}`).toBe(true);
    }
  }
});
