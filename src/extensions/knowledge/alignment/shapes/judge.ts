import type { Store, Term } from 'n3';
import SHACLValidator from 'rdf-validate-shacl';
import { sh } from '../../rdf/iris.ts';
import { countWork, takeTurn } from '../../turns.ts';
import { TooMuchToJudge } from '../rule.ts';
import { patternsIn, reachOf, requireCore, superclassesIn } from './load.ts';
import { replaceRepeatedPaths } from './paths.ts';
import type { Finding, ShapesJudge } from './process.ts';
import { isTarget, movedInstances, nodesAround, targetOf } from './targets.ts';
import { owlClass, rdfsClass, subClassOf } from './terms.ts';
import { GraphView } from './view.ts';

/** Maximum rounds of loading and validating. */
const mostRounds = 100;

type Dataset = ConstructorParameters<typeof SHACLValidator>[0];
type EngineTerm = Parameters<SHACLValidator['nodeConformsToShape']>[0];

const tooLong = 'the paths of the shapes are too long to validate the update';

/**
 * Creates the validator of updates. It validates the nodes that an update changes, and the nodes whose shapes reach the
 * changed statements through paths. The cost depends on the neighbourhood of these nodes, not on the size of the graph.
 *
 * @throws Error for shapes that are recursive, or use more than SHACL core
 */
export function createShapesJudge(shapes: Store): ShapesJudge {
  requireCore(shapes);
  const classes = superclassesIn(shapes);
  // An axiom of OWL, which shapes files do not repeat.
  shapes.addQuad(owlClass, subClassOf, rdfsClass);
  const engine = new SHACLValidator(shapes as unknown as Dataset);
  // The engine's limit on checks protects against recursive shapes, which this function refuses.
  engine.validationEngine.maxNodeChecks = 0;
  const paths = replaceRepeatedPaths(engine);
  const patterns = patternsIn(shapes);
  const targets = engine.shapesGraph.shapesWithTarget.map(({ shapeNode }) => targetOf(shapes, shapeNode as Term));
  const reach = reachOf(
    shapes,
    targets.map(({ shape }) => shape),
  );
  const required = shapes.getObjects(null, `${sh}class`, null).map(({ value }) => value);
  const named = new Set([...targets.flatMap((target) => target.classes), ...required]);

  return async (changed, outcome, signal) => {
    const moved = await movedInstances(changed, outcome, classes, named);
    const nodes = await nodesAround(changed, moved, outcome, reach);
    const view = new GraphView(outcome, classes, paths);
    const found: Finding[] = [];
    let pending = nodes.flatMap((node) => targets.map((target) => ({ node, target })));
    for (let round = 0; round < mostRounds; round++) {
      const again: typeof pending = [];
      for (const each of pending) {
        const turn = takeTurn();
        if (turn) await turn;
        signal.throwIfAborted();
        view.startNode();
        const findings = isTarget(each.target, each.node, view)
          ? run(engine, patterns, view, each.target.shape, each.node)
          : [];
        countWork(1 + view.steps);
        if (view.isComplete) found.push(...findings);
        else again.push(each);
      }
      if (again.length === 0) return found;
      await view.load();
      pending = again;
    }
    throw new TooMuchToJudge(tooLong);
  };
}

/** Runs the engine from a clean state, since a run that threw leaves its state incomplete. */
function run(
  engine: SHACLValidator,
  patterns: ReturnType<typeof patternsIn>,
  view: GraphView,
  shape: Term,
  node: Term,
): readonly Finding[] {
  const { validationEngine, shapesGraph, factory, ns } = engine;
  validationEngine.initReport();
  validationEngine.recordErrorsLevel = 0;
  validationEngine.nestedResults = {};
  engine.$data = factory.clownface({ dataset: view as unknown as Dataset });
  type Check = NonNullable<ReturnType<typeof shapesGraph.getComponentWithParameter>>['nodeValidationFunction'];
  const replaceCheck = (parameter: unknown, check: Check): void => {
    const component = shapesGraph.getComponentWithParameter(parameter as EngineTerm);
    if (!component) throw new TypeError('the engine lacks a constraint of SHACL core');
    component.nodeValidationFunction = check;
    component.propertyValidationFunction = check;
  };
  // The engine's own check of `sh:class` does not terminate for cyclic subclasses.
  replaceCheck(ns.sh.class, (_, value, { paramValue }) => view.isInstance(value as unknown as Term, paramValue.value));
  // The engine's own check of `sh:pattern` may backtrack without bound, and callers choose the values.
  replaceCheck(ns.sh.pattern, (_, value, constraint) => {
    if (value.termType === 'BlankNode') return false;
    const flags = constraint.getParameterValue(ns.sh.flags as EngineTerm)?.value;
    const source = constraint.getParameterValue(ns.sh.pattern as EngineTerm).value;
    return view.matches(patterns(source, flags), source, value.value);
  });
  try {
    const known = shapesGraph.getShape(shape as unknown as EngineTerm);
    validationEngine.validateNodeAgainstShape(node as unknown as EngineTerm, known, engine.$data);
  } catch (thrown) {
    // The engine follows paths recursively, so a long path overflows the stack.
    if (thrown instanceof RangeError) throw new TooMuchToJudge(tooLong);
    throw thrown;
  }
  return validationEngine.getReport().results as unknown as readonly Finding[];
}
