/** What the slugs of an operating system begin with in all its versions: `debian` of `debian-12`. */
export const familyOf = (slug: string): string => slug.split('-')[0] ?? slug;
