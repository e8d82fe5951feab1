import { ThemeIcon } from '@mantine/core';
import IconBrandDebian from '@tabler/icons-react/icons/IconBrandDebian';
import IconBrandRedhat from '@tabler/icons-react/icons/IconBrandRedhat';
import IconBrandUbuntu from '@tabler/icons-react/icons/IconBrandUbuntu';
import IconMountain from '@tabler/icons-react/icons/IconMountain';
import { familyOf, monogramOf } from './os-family.ts';

const logos = new Map([
  ['debian', IconBrandDebian],
  ['ubuntu', IconBrandUbuntu],
  ['rhel', IconBrandRedhat],
  ['alpine', IconMountain],
]);

/** The logo of an operating system, or its initials. */
export function OsLogo({ slug, name }: { slug: string; name: string }) {
  const Logo = logos.get(familyOf(slug));
  return (
    <ThemeIcon variant="default" size="md" fz="xs" fw={600} aria-hidden>
      {Logo ? <Logo size={18} /> : monogramOf(name)}
    </ThemeIcon>
  );
}
