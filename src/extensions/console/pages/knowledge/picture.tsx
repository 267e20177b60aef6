import { useSignal } from '@preact/signals';
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';
import { type Direction, frameOf, inDirection, type Layout, type Point } from './layout.ts';
import { shortName } from './statements.ts';

export interface PictureProps {
  readonly graph: Graph;
  readonly layout: Layout;
  /** Id of the entity that is shown beside the picture. */
  readonly focus: string;
  readonly href: (id: string) => string;
}

const radius = 7;
/** With more edges, only those of the entity in focus have a label. */
const mostLabels = 30;
const labelLength = 22;
const nameHeight = 16;
const colors = 8;

const arrows: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

const labelOf = (id: string): string => visibleLine(shortName(id), labelLength);

/** The entities as a picture. Each is a link; arrow keys go to the next one in their direction. */
export function Picture({ graph, layout, focus, href }: PictureProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const zoom = useSignal(1);
  const width = useSignal(0);
  const frame = frameOf(layout);
  const fitting = Math.min(1.1, Math.max(0.85, width.value / frame.width));
  const scale = fitting * zoom.value;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => (width.value = element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [width]);
  const middle = layout.get(focus);
  useEffect(() => {
    const element = box.current;
    if (!element || !middle) return;
    element.scrollLeft = (middle.x - frame.x) * scale - element.clientWidth / 2;
    element.scrollTop = (middle.y - frame.y) * scale - element.clientHeight / 2;
  }, [middle, scale, frame.x, frame.y]);

  const fit = (): void => {
    const element = box.current;
    if (!element) return;
    const whole = Math.min(element.clientWidth / frame.width, element.clientHeight / frame.height);
    zoom.value = Math.max(0.2, whole / fitting);
  };

  const onKeyDown = (event: TargetedKeyboardEvent<SVGSVGElement>): void => {
    const direction = arrows[event.key];
    const current = (event.target as Element).closest('[data-id]');
    if (!direction || !current) return;
    event.preventDefault();
    const next = inDirection(layout, current.getAttribute('data-id') ?? '', direction);
    const link = [...event.currentTarget.querySelectorAll<SVGAElement>('[data-id]')].find(
      (one) => one.getAttribute('data-id') === next,
    );
    link?.focus();
  };
  const types = [...new Set([...graph.nodes.values()].flatMap((node) => node.types[0] ?? []))];
  const edges = [...graph.edges.values()];
  const isLabeled = ({ from, to }: GraphEdge): boolean => edges.length <= mostLabels || from === focus || to === focus;
  return (
    <div class="picture">
      <div class="picture-tools">
        <Button kind="quiet" label="Smaller" onClick={() => (zoom.value = Math.max(0.2, zoom.value / 1.25))}>
          −
        </Button>
        <Button kind="quiet" label="Larger" onClick={() => (zoom.value = Math.min(4, zoom.value * 1.25))}>
          +
        </Button>
        <Button kind="quiet" onClick={fit}>
          Fit<span class="visually-hidden"> the whole picture</span>
        </Button>
      </div>
      <div class="picture-box" ref={box} tabIndex={0} role="region" aria-label="Picture of the graph">
        <svg
          viewBox={`${frame.x} ${frame.y} ${frame.width} ${frame.height}`}
          style={{ width: `${frame.width * scale}px`, height: `${frame.height * scale}px` }}
          role="group"
          aria-label={`${graph.nodes.size} entities, ${edges.length} relations. Arrow keys go from one entity to another.`}
          onKeyDown={onKeyDown}
        >
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path class="arrow" d="M0 1 7 4 0 7z" />
            </marker>
          </defs>
          {edges.map((edge) => (
            <Edge
              key={edge.key}
              edge={edge}
              layout={layout}
              labeled={isLabeled(edge)}
              place={placeAmong(edge, edges)}
            />
          ))}
          {[...graph.nodes.values()].map((node) => (
            <Node
              key={node.id}
              node={node}
              point={layout.get(node.id) ?? { x: 0, y: 0 }}
              href={href(node.id)}
              focused={node.id === focus}
              color={node.types[0] === undefined ? 0 : (types.indexOf(node.types[0]) % colors) + 1}
            />
          ))}
        </svg>
      </div>
      {types.length > 0 && (
        <ul class="picture-legend" aria-label="Types">
          {types.slice(0, colors).map((type, i) => (
            <li key={type} title={visibleLine(type, 300)}>
              <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
                <circle class={`node-${i + 1}`} cx="5" cy="5" r="4.5" />
              </svg>
              {visibleLine(shortName(type), 40)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Which one it is among the edges between the same two entities. */
const placeAmong = (edge: GraphEdge, edges: readonly GraphEdge[]): number =>
  edges
    .filter(({ from, to }) => (from === edge.from && to === edge.to) || (from === edge.to && to === edge.from))
    .indexOf(edge);

interface EdgeProps {
  readonly edge: GraphEdge;
  readonly layout: Layout;
  readonly labeled: boolean;
  readonly place: number;
}

function Edge({ edge, layout, labeled, place }: EdgeProps): JSX.Element | null {
  const [from, to] = [layout.get(edge.from), layout.get(edge.to)];
  if (!from || !to || edge.from === edge.to) return null;
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  // Names are below the entities: edges that go there begin and end further away.
  const start = radius + 2 + Math.max(0, uy) * nameHeight;
  const end = radius + 2 + Math.max(0, -uy) * nameHeight;
  return (
    <g>
      <line
        class="edge"
        x1={from.x + ux * start}
        y1={from.y + uy * start}
        x2={to.x - ux * end}
        y2={to.y - uy * end}
        opacity={0.35 + 0.65 * edge.certainty}
        marker-end="url(#arrow)"
      />
      {labeled && (
        <text class="edge-label" x={(from.x + to.x) / 2} y={(from.y + to.y) / 2 - 3 + place * 12}>
          {labelOf(edge.predicate)}
        </text>
      )}
    </g>
  );
}

interface NodeProps {
  readonly node: GraphNode;
  readonly point: Point;
  readonly href: string;
  readonly focused: boolean;
  /** 0: without a type. */
  readonly color: number;
}

function Node({ node, point, href, focused, color }: NodeProps): JSX.Element {
  const { id, types, expanded, hidden } = node;
  const kinds = types.map((type) => visibleLine(shortName(type), 60)).join(', ');
  const name = [labelOf(id), kinds, expanded ? 'expanded' : '', hidden > 0 ? 'more statements in lists' : '']
    .filter((part) => part !== '')
    .join(', ');
  return (
    <a
      class={`node${focused ? ' node-focused' : ''}`}
      href={href}
      data-id={id}
      tabIndex={focused ? 0 : -1}
      aria-label={name}
      aria-current={focused ? 'true' : undefined}
    >
      <title>{visibleLine(id, 300)}</title>
      <circle class={`node-${color}${expanded ? '' : ' node-closed'}`} cx={point.x} cy={point.y} r={radius} />
      <text class="node-label" x={point.x} y={point.y + radius + 13}>
        {labelOf(id)}
        {hidden > 0 ? ' +' : ''}
      </text>
    </a>
  );
}
