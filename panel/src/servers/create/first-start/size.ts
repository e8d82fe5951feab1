const mostKibibytes = 64;
const short = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });

/** How large user data is, of what it can be: `1.2 KiB of 64 KiB`. */
export function sizeOfUserData(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  const size = bytes < 1024 ? `${bytes} B` : `${short.format(bytes / 1024)} KiB`;
  return `${size} of ${mostKibibytes} KiB`;
}
