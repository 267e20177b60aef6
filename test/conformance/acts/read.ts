import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isMap, membersOf, NotUnderstood, type Value } from './values.ts';

/** The bindings of A2A, as ACTS calls them. */
export type Binding = 'jsonrpc' | 'rest' | 'grpc';

export const bindings: readonly Binding[] = ['jsonrpc', 'rest', 'grpc'];

/** A test of ACTS. */
export interface Test {
  readonly id: string;
  readonly name: string;
  readonly level: 'must' | 'should' | 'may';
  readonly tags: readonly string[];
  /** The bindings that it applies to. */
  readonly transport: readonly Binding[];
  /** Members that the agent card's capabilities must have. */
  readonly capabilities: Readonly<Record<string, Value>>;
  readonly steps: readonly Record<string, Value>[];
  readonly assertions: readonly Value[];
  /** The variables of its file. */
  readonly variables: Readonly<Record<string, Value>>;
  /** The reason why the runner cannot run it. */
  readonly problem?: string;
}

const documentKeys = ['acts_version', 'spec_version', 'spec_ref', 'metadata', 'variables', 'include', 'suites'];
const suiteKeys = ['id', 'name', 'description', 'tags', 'tests'];
const described = ['id', 'name', 'description', 'spec_ref', 'origin', 'level', 'tags', 'requires_behaviors'];
const testKeys = [...described, 'transport', 'preconditions', 'runner_requirements', 'steps', 'assertions'];

/** The tests of a folder, whose `suite.acts.yaml` includes the other files. */
export function readSuite(folder: string): Test[] {
  return readDocument(folder, 'suite.acts.yaml', {});
}

function readDocument(folder: string, file: string, inherited: Readonly<Record<string, Value>>): Test[] {
  const document = parse(readFileSync(join(folder, file), 'utf8'));
  const { acts_version, variables = {}, include = [], suites = [] } = membersOf(document, documentKeys, file);
  if (!/^1\./.test(String(acts_version))) throw new NotUnderstood(`${file} is of version ${acts_version} of ACTS`);
  const own = { ...inherited, ...(isMap(variables) ? variables : {}) };
  const included = (include as string[]).flatMap((each) => readDocument(folder, each, own));
  const tests = (suites as Value[]).flatMap((suite) => {
    const { tags = [], tests: listed } = membersOf(suite, suiteKeys, `a suite of ${file}`);
    return (listed as Value[]).map((test) => readTest(test, tags as string[], own));
  });
  return [...included, ...tests];
}

/** Reads a test. One that the runner does not understand has its `problem`. */
export function readTest(test: Value, tags: readonly string[], variables: Readonly<Record<string, Value>>): Test {
  const { id, name, level, tags: own = [], steps = [], assertions = [], transport } = test as Record<string, Value>;
  const read = {
    id: String(id),
    name: String(name),
    level: level as Test['level'],
    tags: [...tags, ...(own as string[])],
    transport: (transport as Binding[] | undefined) ?? bindings,
    capabilities: {},
    steps: steps as Record<string, Value>[],
    assertions: assertions as Value[],
    variables,
  };
  try {
    const { preconditions = {} } = membersOf(test, testKeys, 'the test');
    checkTest(read);
    const { capabilities = {} } = membersOf(preconditions, ['capabilities', 'description'], 'preconditions');
    return { ...read, capabilities: capabilities as Record<string, Value> };
  } catch (thrown) {
    if (!(thrown instanceof NotUnderstood)) throw thrown;
    return { ...read, problem: thrown.message };
  }
}

function checkTest({ level, transport, steps }: Test): void {
  if (!['must', 'should', 'may'].includes(level)) throw new NotUnderstood(`the level ${level}`);
  const unknown = transport.find((each) => !bindings.includes(each));
  if (unknown !== undefined) throw new NotUnderstood(`the transport ${unknown}`);
  if (steps.length === 0) throw new NotUnderstood('no steps');
}
