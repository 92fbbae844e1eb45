// A browser has no files of the machine: paths are as they are.

export const realpathSync = (path: string): string => path;
