for (const one of Object.values(longfatRecords)) {
  one.presets = Object.entries(one.networks || {}).map(([k, values]) => ({ ...longfatNetworks[k], values }));
  for (const letter of one.letters) letter.mathml = longfatLetters[letter.letter];
}
