/** A function that starts `run`, which never rejects. A start during a run causes one more run after it. */
export function oneAtATime(run: () => Promise<void>): () => void {
  let running = false;
  let again = false;
  const start = (): void => {
    again = running;
    if (running) return;
    running = true;
    void run().finally(() => {
      running = false;
      if (again) start();
    });
  };
  return start;
}
