dotnet test
status 0
not recorded: .NET cannot be had here
