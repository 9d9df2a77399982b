/** The colours of the page, for the canvas; style/theme.css has them. */
export interface Theme {
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly panel: string;
  readonly band: string;
  readonly link: string;
  readonly found: string;
  readonly sides: readonly string[];
  readonly onSide: string;
  readonly lock: string;
  readonly font: string;
}

export function readTheme(element: Element): Theme {
  const style = getComputedStyle(element);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  return {
    ink: value('--ink'),
    muted: value('--muted'),
    line: value('--line'),
    panel: value('--panel'),
    band: value('--band'),
    link: value('--link'),
    found: value('--found'),
    sides: [value('--side-a'), value('--side-b'), value('--side-c')],
    onSide: value('--on-side'),
    lock: value('--lock'),
    font: value('--mono'),
  };
}
