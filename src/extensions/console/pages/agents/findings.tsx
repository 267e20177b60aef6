import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { groupFindings } from '../../../../dialects/card-rules/group-findings.ts';
import type { CardFinding } from '../../../../gen/admin-v1/types.ts';
import { Badge, Empty, Text } from '../../ui/index.ts';

/** Groups of findings, and fields of one group, that are shown. */
const [groupsShown, fieldsShown] = [200, 50];

/** What is wrong or doubtful about the cards, the worst first. */
export function Findings({ findings }: { readonly findings: readonly CardFinding[] }): JSX.Element {
  const groups = useMemo(() => groupFindings(findings), [findings]);
  if (groups.length === 0) {
    return <Empty title="No findings">The cards follow the specification as far as the gateway can tell.</Empty>;
  }
  return (
    <ul class="findings">
      {groups.slice(0, groupsShown).map(({ severity, message, section, fields }) => (
        <li key={`${severity} ${message} ${section}`}>
          <Badge state={severity} />
          <div>
            <p>
              <Text value={message} max={600} />
              {section !== '' && (
                <span class="muted">
                  {' '}
                  <Text value={section} max={100} />
                </span>
              )}
            </p>
            <ul>
              {fields.slice(0, fieldsShown).map(({ field, dialects }) => (
                <li key={field} class="row">
                  {field !== '' && <Text value={field} mono max={200} />}
                  <span class="muted">
                    <Text value={dialects.join(', ')} max={200} />
                  </span>
                </li>
              ))}
            </ul>
          </div>
        </li>
      ))}
    </ul>
  );
}
