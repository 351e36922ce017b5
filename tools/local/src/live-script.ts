/**
 * The script that updates a page while it is open: it requests the list again when the server reports a change, or when
 * the search changes. Unchanged entries are not touched, so that open ones stay open, and a selection stays. Each entry
 * has an id, and a `data-version` that changes when it must be shown again.
 */
export const liveScript = `
(() => {
  const list = document.querySelector('[data-list]');
  if (list === null) return;
  const search = document.querySelector('input[type=search]');
  let isAsking = false;
  let isStale = false;

  async function refresh() {
    isStale = true;
    if (isAsking) return;
    isAsking = true;
    while (isStale) {
      isStale = false;
      const url = new URL(list.dataset.list, location.href);
      if (search !== null) url.searchParams.set('q', search.value);
      try {
        const answer = await fetch(url);
        if (answer.ok) show(await answer.text());
      } catch {
        // The program has ended. When it is there again, the stream of updates opens again.
      }
      // A burst of arrivals is a few requests.
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    isAsking = false;
  }

  function show(html) {
    const template = document.createElement('template');
    template.innerHTML = html;
    const known = new Map([...list.children].map((entry) => [entry.id, entry]));
    const entries = [...template.content.children].map((entry) => {
      const old = known.get(entry.id);
      if (old === undefined) return entry;
      if (old.dataset.version === entry.dataset.version) return old;
      const opened = [...old.querySelectorAll('details')].map((details) => details.open);
      entry.querySelectorAll('details').forEach((details, i) => (details.open = opened[i] ?? details.open));
      return entry;
    });
    const kept = new Set(entries);
    for (const entry of [...list.children]) if (!kept.has(entry)) entry.remove();
    let next = list.firstElementChild;
    for (const entry of entries) {
      if (entry === next) next = next.nextElementSibling;
      else list.insertBefore(entry, next);
    }
  }

  const updates = new EventSource('/updates');
  updates.onopen = refresh;
  updates.onmessage = refresh;
  search?.addEventListener('input', refresh);
})();
`;
