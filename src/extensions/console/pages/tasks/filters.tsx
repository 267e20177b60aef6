import type { JSX } from 'preact';
import type { TaskState } from '../../../../core/model/a2a.ts';
import { route, setQuery } from '../../shell/router.ts';
import { AgentFilter, TextFilter, TimeFilter } from '../../tasks/filter-fields.tsx';
import { addressOf, isFiltered, noFilters, type TaskFilters, taskStates } from '../../tasks/filters.ts';
import { words } from '../../ui/format.ts';
import { Button } from '../../ui/index.ts';

const titles = { text: 'Text or id', principal: 'Caller', context: 'Context', tenant: 'Tenant' } as const;

const set = (patch: Partial<TaskFilters>): void => {
  // A context alone would show its conversation.
  const view = patch.context && (route.peek().query.get('view') ?? 'list');
  setQuery({ ...addressOf(patch), ...(view && { view }) }, { replace: true });
};

/** The filters of the list. They live in the address. */
export function Filters({ filters }: { readonly filters: TaskFilters }): JSX.Element {
  const toggle = (state: TaskState): void => {
    const states = filters.states.includes(state)
      ? filters.states.filter((each) => each !== state)
      : [...filters.states, state];
    set({ states });
  };
  return (
    <search class="task-filters" aria-label="Filters of the tasks">
      <div class="filter-fields">
        <AgentFilter value={filters.agent} onChange={(agent) => set({ agent })} />
        <TimeFilter label="Changed" value={filters.after} onChange={(after) => set({ after })} />
        {(Object.keys(titles) as (keyof typeof titles)[]).map((name) => (
          <TextFilter
            key={name}
            label={titles[name]}
            value={filters[name]}
            onChange={(text) => set({ [name]: text })}
          />
        ))}
      </div>
      <div class="filter-states" role="group" aria-label="States">
        {taskStates.map((state) => (
          <Button key={state} kind="quiet" pressed={filters.states.includes(state)} onClick={() => toggle(state)}>
            {words(state)}
          </Button>
        ))}
        {isFiltered(filters) && (
          <Button kind="quiet" icon="close" onClick={() => set(noFilters)}>
            Remove filters
          </Button>
        )}
      </div>
    </search>
  );
}
