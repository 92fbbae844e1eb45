// Where a note of tars lies in the vault that is open: their folders may be the same, or one may lie within the other.

/** The collections of tars, and the folder of the open vault, all as real paths. */
export class Places {
  private readonly base: string;
  private readonly roots: Map<string, string>;

  constructor(base: string, collections: { name: string; root: string }[], realPath: (path: string) => string) {
    const real = (path: string) => realPath(path).replace(/\/+$/, "");
    this.base = real(base);
    this.roots = new Map(collections.map(({ name, root }) => [name, real(root)]));
  }

  /** Returns the path within the open vault of a note of tars; null if it lies elsewhere. */
  inVault(collection: string, path: string): string | null {
    const root = this.roots.get(collection);
    return root === undefined ? null : below(this.base, `${root}/${path}`);
  }

  /** Returns the collection that holds a note of the open vault, and its path there; null if none does. */
  ofNote(path: string): { collection: string; path: string } | null {
    for (const [collection, root] of this.roots) {
      const inner = below(root, `${this.base}/${path}`);
      if (inner !== null) return { collection, path: inner };
    }
    return null;
  }

  /** Returns the folder of tars' vault if no collection shares a folder with the open vault; null if one does. */
  get elsewhere(): string | null {
    const shares = (root: string) => `${root}/`.startsWith(`${this.base}/`) || `${this.base}/`.startsWith(`${root}/`);
    return [...this.roots.values()].some(shares) ? null : (this.roots.get("vault") ?? [...this.roots.values()][0] ?? "");
  }
}

function below(folder: string, path: string): string | null {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : null;
}
