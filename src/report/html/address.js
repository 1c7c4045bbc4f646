// The state of the page in its address, so that it can be kept, sent and gone back to.

// The address of a state: what is not asked for is left out.
function addressOf(state) {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) if (value !== null && value !== "") words.set(key, value);
  return `#!${words}`;
}

// The state that an address says, or null.
function stateIn(hash) {
  if (!hash.startsWith("#!")) return null;
  return Object.fromEntries(new URLSearchParams(hash.slice(2)));
}

class Address {
  // `read()` tells the state now, `go(state)` shows one.
  constructor(read, go) {
    Object.assign(this, { read, go, timer: null, step: false });
    window.addEventListener("popstate", () => this.arrived());
    window.addEventListener("hashchange", () => this.arrived());
  }

  arrived() {
    const { hash } = window.location;
    if (hash === this.last) return;
    const state = stateIn(hash);
    if (state === null) return;
    clearTimeout(this.timer);
    this.last = hash;
    this.going = true;
    this.go(state);
    this.going = false;
  }

  // Something changed; where `step`, back leads to what was before. What follows quickly is one step.
  changed(step) {
    if (this.going) return;
    this.step ||= step;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), 250);
  }

  write() {
    const hash = addressOf(this.read());
    if (hash === this.last) return;
    const first = this.last === undefined;
    this.last = hash;
    try {
      if (this.step && !first) window.history.pushState(null, "", hash);
      else window.history.replaceState(null, "", hash);
    } catch {
      // Where a browser keeps no history of files, the address stays as it is.
    }
    this.step = false;
  }
}
