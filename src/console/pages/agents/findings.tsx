import type { JSX } from 'preact';
import type { CardFinding } from '../../../gen/admin-v1/types.ts';
import { Badge, Empty, Text } from '../../ui/index.ts';

const order = ['error', 'warning', 'note'];

/** What is wrong or doubtful about the cards, the worst first. */
export function Findings({ findings }: { readonly findings: readonly CardFinding[] }): JSX.Element {
  if (findings.length === 0) {
    return (
      <Empty title="Nothing to find fault with">
        The cards follow the specification as far as the gateway can tell.
      </Empty>
    );
  }
  const sorted = findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity)).slice(0, 500);
  return (
    <ul class="findings">
      {sorted.map(({ severity, dialect, field, message, section }, index) => (
        <li key={index}>
          <Badge state={severity} />
          <div>
            <p>
              <Text value={message} max={600} />
            </p>
            <p class="muted row">
              {field && <Text value={field} mono max={200} />}
              {dialect && <Text value={dialect} />}
              {section && <Text value={section} />}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
